/// Why a backup was not made or not restored. The server's data is unchanged.
package enum BackupError: Error, Hashable, CustomStringConvertible {
    /// A place that must not be used, and why.
    case wrongPlace(String, String)
    case noBackup(String, String)
    case newerSchema(String)
    /// A backup, and what is wrong with it.
    case damaged(String, [String])
    /// Documents and layers were deleted or overwritten since, and nothing says what becomes of them.
    case undecided(ChangesSinceBackup)
    /// What `--deleted stay` cannot keep.
    case notKept(String)
    /// The place of the data, and what it contains.
    case occupied(String, [String])
    /// The bytes that are needed in all, if known.
    case diskFull(String, needed: Int64? = nil)

    package var description: String {
        switch self {
        case .wrongPlace(let path, let why): "cannot use \(path): \(why)"
        case .noBackup(let path, let why): "\(path) is not a backup: \(why); nothing was changed"
        case .newerSchema(let path):
            "\(path) was made by a newer version; update postilla and try again; nothing was changed"
        case .damaged(let path, let problems):
            "\(path) is damaged: \(Self.list(problems)); restore another backup; nothing was changed"
        case .undecided:
            """
            documents or layers were deleted or overwritten since the backup; use --deleted return to bring them back \
            as they were, or --deleted stay to leave them as they are; nothing was changed
            """
        case .notKept(let what): "\(what); use --deleted return; nothing was changed"
        case .occupied(let path, let names):
            "\(path) already contains data: \(Self.list(names)); use --replace to move it aside"
        case .diskFull(let path, let needed):
            "the disk of \(path) is full\(needed.map { "; \($0) bytes are needed" } ?? ""); free some space and try again"
        }
    }

    /// Whether the caller has to name something else.
    package var isUsage: Bool {
        switch self {
        case .wrongPlace, .undecided: true
        default: false
        }
    }

    /// The first few.
    private static func list(_ words: [String]) -> String {
        let shown = 3
        let more = words.count > shown ? [", and \(words.count - shown) more"] : []
        return words.prefix(shown).joined(separator: ", ") + more.joined()
    }
}
