import Annotations
import Crypto
import DocumentEngine
import FoundationEssentials
import Glibc

/// The settings file as `postilla config --write` replaces it. A link of one's own to a file kept elsewhere stays a link.
struct SettingsFile {
    private let place: FilePlace

    /// Makes the folders that are missing. Blocks.
    ///
    /// - Throws: ``CommandFailure`` if the path leads through a link that another account may have planted.
    init(_ path: String) throws {
        do throws(FilePlace.Problem) {
            // What exists of the path is checked before a folder is made in it.
            _ = try FilePlace(of: Self.existing(path))
        } catch { throw Self.failure(path, error) }
        if let (folder, _) = path.parted(atLast: "/"), !folder.isEmpty { try Folders.make(String(folder)) }
        do throws(FilePlace.Problem) { place = try FilePlace(of: path) } catch { throw Self.failure(path, error) }
    }

    /// The nearest part of a path that exists.
    private static func existing(_ path: String) -> String {
        var (part, status) = (path, stat())
        while lstat(part, &status) != 0, let (folder, _) = part.parted(atLast: "/") {
            part = folder.isEmpty ? "/" : String(folder)
            if folder.isEmpty { break }
        }
        return part
    }

    private static func failure(_ path: String, _ problem: FilePlace.Problem) -> CommandFailure {
        CommandFailure("cannot write \(path.onOneLine): \(problem.reason)")
    }

    /// - Returns: nil if there is no file.
    /// - Throws: ``CommandFailure``
    func text() throws -> String? {
        var status = stat()
        guard lstat(place.here, &status) == 0 else { return nil }
        guard status.st_uid == geteuid() else {
            throw CommandFailure("\(place.path.onOneLine) belongs to another account; it is not replaced")
        }
        return try PrivateFile.read(place.here, limit: 1 << 20)
    }

    /// The path under which the present file is kept when it is replaced: the first free one.
    func nextPath() -> String { place.path + ".\(Self.numbers.first { !isTaken($0) } ?? 1)" }

    private static let numbers = 1...10_000

    private func isTaken(_ number: Int) -> Bool {
        var status = stat()
        return lstat("\(place.here).\(number)", &status) == 0 || errno != ENOENT
    }

    /// Replaces the file in one step. An existing one is kept beside it first.
    ///
    /// - Returns: Where the earlier file is kept; nil if there was none.
    /// - Throws: ``CommandFailure``; the file is then as it was.
    func replace(with text: String) throws -> String? {
        var kept: String?
        // A link is made only under a free name, so no kept file is ever replaced.
        for number in Self.numbers {
            if link(place.here, "\(place.here).\(number)") == 0 {
                kept = "\(place.path).\(number)"
                break
            }
            if errno == ENOENT { break }
            guard errno == EEXIST else {
                throw CommandFailure(
                    "cannot keep \(place.path.onOneLine) beside it: \(String(cString: strerror(errno)))")
            }
        }
        try PrivateFile.write(text, to: place.here)
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
