import Annotations
import PDFPages

/// A page whose text runs up or down, and its coordinates when it is turned upright.
struct TurnedPage {
    private let isUpwards: Bool
    private let width: Double
    private let height: Double

    /// Returns nil unless most of the text is turned.
    init?(_ page: PageText) {
        let words = PageWord.words(of: page)
        let (upright, turned) = TurnedText.split(words)
        let count = { (line: [Int]) in line.reduce(0) { $0 + words[$1].cells } }
        guard turned.count >= 5, turned.reduce(0, { $0 + count($1) }) > 2 * count(upright) else { return nil }
        // The words of a line are in the order in which they are read.
        let steps = turned.flatMap { line in zip(line, line.dropFirst()).map { words[$1].box.top - words[$0].box.top } }
        isUpwards = steps.count { $0 < 0 } * 2 >= steps.count
        (width, height) = (page.width, page.height)
    }

    func upright(_ page: PageText) -> PageText {
        var page = page
        (page.width, page.height) = (height, width)
        for index in page.words.indices {
            let box = page.words[index].box
            page.words[index].box = Rect(
                left: isUpwards ? height - box.bottom : box.top, top: isUpwards ? box.left : width - box.right,
                width: box.height, height: box.width)
        }
        return page
    }

    /// Returns a box of the upright page as it lies on the real one.
    func onPage(_ box: Rect) -> Rect {
        Rect(
            left: isUpwards ? box.top : width - box.bottom, top: isUpwards ? height - box.right : box.left,
            width: box.height, height: box.width)
    }
}
