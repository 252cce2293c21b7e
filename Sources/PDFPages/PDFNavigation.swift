/// How a file wants to be found one's way in: its outline, and what its pages are called.
package struct PDFNavigation: Hashable, Sendable {
    /// A heading of the outline.
    package struct Entry: Hashable, Sendable {
        /// As the file has it: hostile, never to be drawn uncleaned.
        package var title: String
        /// 0 for the outermost.
        package var depth: Int
        /// Counted from 0; nil when it leads nowhere in this file.
        package var pageIndex: Int?

        package init(title: String, depth: Int, pageIndex: Int?) {
            self.title = title
            self.depth = depth
            self.pageIndex = pageIndex
        }
    }

    /// In the order in which a person reads it.
    package var outline: [Entry]
    /// What is printed on each page (`iii`, `A-4`); empty when the file does not say. Hostile like the titles.
    package var labels: [String]

    package init(outline: [Entry] = [], labels: [String] = []) {
        self.outline = outline
        self.labels = labels
    }
}
