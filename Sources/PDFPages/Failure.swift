import SystemPackage

extension PDFTools {
    /// A path that no tool can take for an option, an address or a file of arguments.
    static func argument(for file: String) throws(PDFError) -> String {
        guard !file.isEmpty, !file.utf8.contains(0) else { throw .unreadable }
        return file.hasPrefix("/") ? file : "./" + file
    }

    /// Why a tool could not read a file, found out by looking: the tools say it only in words.
    func reason(for file: String) async throws -> PDFError {
        let path = try Self.argument(for: file)
        if let plain = Self.look(at: FilePath(path)) { return plain }
        // qpdf answers this question by its exit code: 0 means that a password is needed.
        let outcome = try await run(.qpdf, ["--requires-password", path], into: CollectedOutput())
        return outcome.exitCode == 0 ? .encrypted : .damaged
    }

    /// What the file's length and first bytes tell; nil if it begins like a PDF. A PDF may begin with up to
    /// 1,024 bytes of something else (ISO 32000-1, appendix H).
    private static func look(at path: FilePath) -> PDFError? {
        // Not waiting matters when the path names a pipe.
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .nonBlocking) else { return .unreadable }
        defer { try? file.close() }
        var head = [UInt8](repeating: 0, count: 1029)
        guard let count = try? head.withUnsafeMutableBytes({ try file.read(into: $0) }) else { return .unreadable }
        if count == 0 { return .empty }
        let mark = Array("%PDF-".utf8)
        let found = (0..<head.count - mark.count).contains { head[$0...].starts(with: mark) }
        return found ? nil : .notPDF
    }
}
