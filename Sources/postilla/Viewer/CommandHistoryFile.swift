import Annotations

/// The lines typed after `:`, one per line, oldest first, in a file that only this user can read.
struct CommandHistoryFile: Sendable {
    let path: String
    private static let maxLines = 500

    /// Returns an empty array when the file is missing or unreadable.
    func lines() -> [String] {
        guard let text = try? PrivateFile.read(path, limit: 1 << 20) else { return [] }
        return text.split(scalar: "\n").map(String.init)
    }

    /// - Throws: ``CommandFailure`` when the file cannot be written.
    func add(_ line: String) throws {
        let kept =
            lines().filter { $0 != line } + [
                String(String.UnicodeScalarView(line.unicodeScalars.map { $0.isLineEnd ? " " : $0 }))
            ]
        try PrivateFile.write(kept.suffix(Self.maxLines).joined(separator: "\n") + "\n", to: path)
    }
}
