import SystemPackage

extension PDFTools {
    /// Writes a copy of a file with the annotations of a layer instead of its own. As with any change, signatures in
    /// the file become invalid.
    ///
    /// - Parameters:
    ///   - target: path of an existing file, which is overwritten.
    ///   - notes: path of another existing file, for the update that qpdf applies at the end.
    ///   - page: if the file is one page taken out of another file, its index there.
    ///   - add: adds the records.
    /// - Throws: ``PDFError``, and the errors of `add`.
    package func annotate(
        _ source: String, into target: String, notes: String, page: Int? = nil,
        _ add: (inout AnnotatedPDF) async throws -> Void
    ) async throws {
        var annotated = try AnnotatedPDF(
            try await dump(of: source), pages: limits.pages, writingTo: notes, page: page)
        try await add(&annotated)
        try annotated.finish()
        try await apply(notes, to: source, into: target)
    }

    /// Writes a copy of a file without annotations, except links and empty form fields. The copy contains no earlier
    /// revision and no unreferenced object of the file; equal files give equal copies.
    ///
    /// - Parameters:
    ///   - target: path of an existing file, which is overwritten.
    ///   - notes: path of another existing file, for the update that qpdf applies at the end.
    package func strip(_ source: String, into target: String, notes: String) async throws {
        try await strip(source, try await dump(of: source), into: target, notes: notes)
    }

    func strip(_ source: String, _ dump: ObjectDump, into target: String, notes: String) async throws {
        let update = try PDFUpdate(of: dump, at: notes)
        var stripped = StrippedPDF(dump, pages: limits.pages)
        try stripped.write(to: update)
        try update.end()
        // The id in the file's trailer depends on its content only. An encrypted file cannot have such an id.
        try await apply(notes, to: source, into: target, ["--decrypt", "--deterministic-id"])
    }

    private func apply(
        _ notes: String, to source: String, into target: String, _ options: [String] = []
    ) async throws {
        let path = try Self.argument(for: source)
        let room = try Self.length(of: path) * 2 + Self.length(of: notes) + Int64(64 << 20)
        let update = try "--update-from-json=" + Self.argument(for: notes)
        let outcome = try await run(
            .qpdf, ["--no-warn"] + options + [path, update, Self.argument(for: target)], writing: room,
            into: CollectedOutput())
        guard outcome.exitCode == 0 || outcome.exitCode == 3 else {
            throw Self.isDiskFull(at: target) ? PDFError.diskFull : PDFError.damaged
        }
        // qpdf does not notice when the last bytes cannot be written.
        guard try Self.isComplete(target) else { throw PDFError.diskFull }
    }

    /// Whether a file ends as a PDF does.
    private static func isComplete(_ path: String) throws -> Bool {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .noFollow)
        defer { try? file.close() }
        let length = try file.seek(offset: 0, from: .end)
        var end = [UInt8](repeating: 0, count: 6)
        guard length >= end.count else { return false }
        let count = try end.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: length - 6, into: $0) }
        return count == end.count && end.elementsEqual("%%EOF\n".utf8)
    }

    /// Whether an output file that a tool could not complete has no room to grow: the tools report the cause only as
    /// prose.
    private static func isDiskFull(at path: String) -> Bool {
        guard let file = try? FileDescriptor.open(FilePath(path), .writeOnly, options: [.append, .noFollow]) else {
            return false
        }
        defer { try? file.close() }
        do { try file.writeAll([UInt8](repeating: 0, count: 64 << 10)) } catch {
            return (error as? Errno)?.isDiskFull ?? false
        }
        return false
    }

    static func length(of path: String) throws -> Int64 {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .noFollow)
        defer { try? file.close() }
        return try file.seek(offset: 0, from: .end)
    }
}
