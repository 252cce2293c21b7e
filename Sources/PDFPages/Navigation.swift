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
