package import Annotations

/// The words of one page in reading order, with their boxes.
///
/// Coordinates are those of the page as displayed: PDF points, origin at the top left corner of the visible area (crop
/// box and rotation applied), y downwards. Annotation boxes use the same coordinates.
package struct PageText: Hashable, Sendable {
    package var width: Double
    package var height: Double
    package var words: [Word]

    package init(width: Double, height: Double, words: [Word]) {
        self.width = width
        self.height = height
        self.words = words
    }
}

extension PageText {
    /// Returns the page in points, given its size: poppler gives coordinates in the page's own units (`UserUnit`).
    package func scaled(to size: PageSize?) -> PageText {
        guard let size, let scale = PageSize(width: width, height: height).scale(to: size) else { return self }
        var page = PageText(width: size.width, height: size.height, words: words)
        for index in words.indices { page.words[index].box = words[index].box.scaled(by: scale) }
        return page
    }

    /// One word of the PDF's text layer and its position.
    package struct Word: Hashable, Sendable {
        /// Unchanged from the file: hostile, and never drawn without cleaning.
        package var text: String
        package var box: Rect
        /// Index of the source line in the page, in reading order.
        package var line: Int
        /// Index of the source block (paragraph, cell) in the page, in reading order.
        package var block: Int
        /// Index of the flow (column, article) in the page, in reading order.
        package var flow: Int

        package init(text: String, box: Rect, line: Int, block: Int, flow: Int) {
            self.text = text
            self.box = box
            self.line = line
            self.block = block
            self.flow = flow
        }
    }
}
