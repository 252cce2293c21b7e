import Annotations
import Crypto
import FoundationEssentials
import Glibc

/// The settings file as `postilla config --write` replaces it.
struct SettingsFile {
    /// The path, with its links resolved, so that a link to a file kept elsewhere stays a link.
    private let path: String

    init(_ path: String) {
        var resolved = path
        if let real = realpath(path, nil) {
            resolved = String(cString: real)
            free(real)
        }
        self.path = resolved
    }

    /// - Returns: nil if there is no file.
    /// - Throws: ``CommandFailure``
    func text() throws -> String? {
        var status = stat()
        if lstat(path, &status) != 0, errno == ENOENT { return nil }
        return try PrivateFile.read(path, limit: 1 << 20)
    }

    /// The name under which the present file is kept when it is replaced: the first free one.
    func nextName() -> String {
        var status = stat()
        return names.first { lstat($0, &status) != 0 && errno == ENOENT } ?? path + ".1"
    }

    private var names: some Sequence<String> { (1...10_000).lazy.map { "\(path).\($0)" } }

    /// Replaces the file in one step. An existing one is kept beside it first.
    ///
    /// - Returns: Where the earlier file is kept; nil if there was none.
    /// - Throws: ``CommandFailure``; the file is then as it was.
    func replace(with text: String) throws -> String? {
        var kept: String?
        // A link is made only under a free name, so no kept file is ever replaced.
        for name in names {
            if link(path, name) == 0 {
                kept = name
                break
            }
            if errno == ENOENT { break }
            guard errno == EEXIST else {
                throw CommandFailure("cannot keep \(path) as \(name): \(String(cString: strerror(errno)))")
            }
        }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try Folders.make(String(path[..<slash])) }
        try PrivateFile.write(text, to: path)
        return kept
    }
}

/// A copy of the last settings that were read without an error.
///
/// `postilla config > config.toml` has emptied the file before the program starts, and only a copy can bring the settings
/// back.
enum SettingsCopy {
    /// Keeps a copy of what was read from a file. A file without text never replaces one.
    static func keep(_ preferences: Preferences) {
        guard let (path, text) = preferences.file, preferences.problems.isEmpty, !text.trimmed.isEmpty,
            let copy = self.path(of: path), (try? PrivateFile.read(copy, limit: 1 << 20))?.isExactly(text) != true
        else { return }
        // Without a copy, everything else still works.
        try? Folders.make(String(copy[..<(copy.lastIndex(of: "/") ?? copy.endIndex)]))
        try? PrivateFile.write(text, to: copy)
    }

    /// - Returns: The path of the copy; nil if there is none.
    static func existing(of path: String) -> String? {
        self.path(of: path).flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }

    /// Each settings file has a copy of its own.
    private static func path(of file: String) -> String? {
        guard let folders = try? Folders() else { return nil }
        let name = SHA256.hash(data: Array(file.utf8)).prefix(8).hexadecimal
        return "\(folders.state)/settings/\(name).toml"
    }
}
