import Annotations
import SystemPackage

extension PDFTools {
    /// Returns a path that no tool can mistake for an option, a URL or an argument file.
    static func argument(for file: String) throws(PDFError) -> String {
        guard !file.isEmpty, !file.utf8.contains(0) else { throw .unreadable }
        return file.begins(with: "/") ? file : "./" + file
    }

    /// Finds out why a tool could not read a file. The tools report it only as prose, so the file itself is examined.
    func reason(for file: String) async throws -> PDFError {
        let path = try Self.argument(for: file)
        if let plain = Self.look(at: FilePath(path)) { return plain }
        // `--requires-password` exits with 0 when a password is needed.
        let outcome = try await run(.qpdf, ["--requires-password", path], into: CollectedOutput())
        return outcome.exitCode == 0 ? .encrypted : .damaged
    }

    /// Returns why a file cannot be read, judging by its length and first bytes; nil if it has a PDF header, which can
    /// begin anywhere in the first 1,024 bytes (ISO 32000-1, appendix H).
    private static func look(at path: FilePath) -> PDFError? {
        // Opening a pipe must not block.
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
