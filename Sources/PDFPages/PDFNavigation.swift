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

extension PDFTools {
    /// The outline of a file and the labels of its pages.
    package func navigation(of file: String) async throws -> PDFNavigation {
        let dump = try await dump(of: file)
        let tree = PageTree(dump, limit: limits.pages)
        guard !tree.pages.isEmpty else { throw PDFError.damaged }
        return PDFNavigation(
            outline: OutlineReader(dump, destinations: Destinations(tree: tree, file: dump)).entries,
            labels: PageLabelReader(dump, pageCount: tree.pages.count).labels)
    }

    /// The objects of a file, by qpdf.
    func dump(of file: String) async throws -> ObjectDump {
        let path = try Self.argument(for: file)
        let outcome = try await run(.qpdf, ["--json=2", "--json-key=qpdf", "--no-warn", path], into: ObjectDump())
        // 3 means that there were warnings, and all the output.
        guard outcome.exitCode == 0 || outcome.exitCode == 3 else { throw try await reason(for: file) }
        return outcome.sink
    }
}
