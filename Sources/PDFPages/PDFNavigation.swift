/// The navigation data of a file: its outline and page labels.
package struct PDFNavigation: Hashable, Sendable {
    /// A heading of the outline.
    package struct Entry: Hashable, Sendable {
        /// Unchanged from the file: hostile, and never drawn without cleaning.
        package var title: String
        /// 0 for the outermost level.
        package var depth: Int
        /// Counted from 0; nil when the target is not in this file.
        package var pageIndex: Int?

        package init(title: String, depth: Int, pageIndex: Int?) {
            self.title = title
            self.depth = depth
            self.pageIndex = pageIndex
        }
    }

    /// In reading order.
    package var outline: [Entry]
    /// The label of each page (`iii`, `A-4`), as hostile as the titles; empty when the file has none.
    package var labels: [String]

    package init(outline: [Entry] = [], labels: [String] = []) {
        self.outline = outline
        self.labels = labels
    }
}

extension PDFTools {
    /// Returns the outline and the page labels of a file.
    package func navigation(of file: String) async throws -> PDFNavigation {
        let dump = try await dump(of: file)
        let tree = PageTree(dump, limit: limits.pages)
        try dump.checkTime()
        guard !tree.pages.isEmpty else { throw PDFError.damaged }
        let navigation = PDFNavigation(
            outline: OutlineReader(dump, destinations: Destinations(tree: tree, file: dump)).entries,
            labels: PageLabelReader(dump, pageCount: tree.pages.count).labels)
        try dump.checkTime()
        return navigation
    }
}
