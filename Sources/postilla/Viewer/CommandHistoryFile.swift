import Annotations

/// The lines typed after `:`, one per line, oldest first, in a file that only this user can read.
struct CommandHistoryFile: Sendable {
    let path: String
    private static let maxLines = 500
    private static let limit = 16 << 20

    /// Returns an empty array when the file is missing or unreadable.
    func lines() -> [String] {
        guard let bytes = try? PrivateFile.bytes(path, limit: Self.limit) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(scalar: "\n").map(String.init)
    }

    /// - Throws: ``CommandFailure`` when the file cannot be written.
    func add(_ line: String) throws {
        // Throws for a file that cannot be read now: its lines must not be replaced by one.
        _ = try PrivateFile.existing(path, limit: Self.limit)
        let kept =
            lines().filter { $0 != line } + [
                String(String.UnicodeScalarView(line.unicodeScalars.map { $0.isLineEnd ? " " : $0 }))
            ]
        try PrivateFile.write(kept.suffix(Self.maxLines).joined(separator: "\n") + "\n", to: path)
    }
}
