import SystemPackage

extension PDFTools {
    /// Writes a copy of a file with the annotations of a layer instead of its own. As with any change, signatures in
    /// the file become invalid.
    ///
    /// - Parameters:
    ///   - target: path of an existing file, which is overwritten.
    ///   - notes: path of another existing file, for the update that qpdf applies at the end.
    ///   - add: adds the records.
    /// - Throws: ``PDFError``, and the errors of `add`.
    package func annotate(
        _ source: String, into target: String, notes: String,
        _ add: (inout AnnotatedPDF) async throws -> Void
    ) async throws {
        let path = try Self.argument(for: source)
        // With the `pages` key, qpdf makes each page a separate indirect object. It does so again when it applies the
        // update.
        let dump = try await run(
            .qpdf, ["--json=2", "--json-key=pages", "--json-key=qpdf", "--no-warn", path], into: ObjectDump())
        guard dump.exitCode == 0 || dump.exitCode == 3 else { throw try await reason(for: source) }
        var annotated = try AnnotatedPDF(dump.sink, pages: limits.pages, writingTo: notes)
        try await add(&annotated)
        try annotated.finish()
        let room = try Self.length(of: path) * 2 + Self.length(of: notes) + Int64(64 << 20)
        let outcome = try await run(
            .qpdf, ["--no-warn", path, "--update-from-json=\(Self.argument(for: notes))", Self.argument(for: target)],
            writing: room, into: CollectedOutput())
        guard outcome.exitCode == 0 || outcome.exitCode == 3 else { throw PDFError.damaged }
    }

    private static func length(of path: String) throws -> Int64 {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .noFollow)
        defer { try? file.close() }
        return try file.seek(offset: 0, from: .end)
    }
}
