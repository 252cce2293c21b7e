import Annotations
import FoundationEssentials
import Glibc

/// Replaces a file in one step: whoever reads it sees the old one or the new one, also after a crash. Symlinks are
/// followed; mode, access list and extended attributes stay. All functions block.
///
/// The new file is written to ``temporary`` first, in the same folder, so that the rename does not copy. The folder is held
/// by a descriptor from the beginning, so that all steps happen in one folder, whatever is renamed meanwhile.
///
/// Unchecked: its tasks use it one after the other.
final class FileReplacement: @unchecked Sendable {
    /// The real path of the file that is replaced.
    let path: String
    /// By the descriptor of the folder, for this process and its children.
    let temporary: String
    /// The real path that the new file has right before it takes its place, and the old one right after.
    let exchanged: String
    let place: FilePlace
    /// The permissions that a new file does not get, of the process that asks for it; nil: those of this process.
    var mask: mode_t?
    /// The file, and the path of ``exchanged``, by the descriptor of the folder.
    private let (here, beside): (String, String)
    private let folder: String
    /// Whether the new file is not at ``temporary`` any more.
    private var isFinished = false
    /// For tests: runs whenever two files were exchanged, with the path of the one that came out; an error is one of the
    /// disk.
    var afterExchange: (String) throws(OwnFileError) -> Void = { (_: String) throws(OwnFileError) in }
    /// For tests: runs when the new file is in place, before the folder is made durable.
    var beforeSync: () throws(OwnFileError) -> Void = { () throws(OwnFileError) in }
    /// nil: there is no file yet.
    private let old: stat?
    /// nil: the temporary file is not ready.
    private var new: FileFacts?

    /// The number of names that the file has; the others keep the old contents.
    var otherNames: Int { old.map { max(0, Int($0.st_nlink) - 1) } ?? 0 }

    /// Creates the temporary file, empty, with mode 0600.
    ///
    /// - Parameters:
    ///   - path: may be a symlink.
    ///   - replacesOthers: whether root replaces the file of another account, which keeps its owner.
    /// - Throws: ``OwnFileError`` if the file belongs to another account, the path leads through a link of one that must not
    ///   be followed, or the folder cannot be written.
    init(of path: String, replacesOthers: Bool = false) throws(OwnFileError) {
        do throws(FilePlace.Problem) { place = try FilePlace(of: path) } catch { throw OwnFileError(error) }
        self.path = place.path
        folder = place.folderPath
        here = folder + "/" + place.name
        let start = Self.start(place.name)
        Self.removeLeftovers(in: folder, startingWith: start)
        let stem = "\(start)\(getpid()).\(UInt32.random(in: 0 ... .max))"
        temporary = "\(folder)/\(stem)\(Self.newSuffix)"
        let old = stem + ".postilla-old"
        beside = "\(folder)/\(old)"
        exchanged = place.path.dropLast(place.name.count) + old
        self.old = try FileRights.replaceable(here, replacesOthers: replacesOthers)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OwnFileError(errno: errno) }
        close(descriptor)
    }

    deinit { if !isFinished { unlink(temporary) } }

    /// Makes the temporary file durable, with the mode, access list and extended attributes of the old one.
    ///
    /// - Returns: what it will be under its name.
    func prepare() throws -> FileFacts {
        let descriptor = open(temporary, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw OwnFileError.failed(errno) }
        defer { close(descriptor) }
        try FileRights.copy(of: old, at: here, to: descriptor, mask: mask)
        guard fsync(descriptor) == 0 else { throw OwnFileError(errno: errno) }
        let facts = try FileFacts.read(temporary)
        new = facts
        return facts
    }

    /// Puts the temporary file in place of the old one; durable when it returns.
    ///
    /// - Parameter expected: what the old file must be; nil: any file, or none.
    /// - Throws: ``OwnFileError/changedMeanwhile`` if it is another one now; ``OwnFileError/notSynced(_:)`` if the file is in
    ///   place, but perhaps not on the disk. After any other error it may be in place, too: only its hash tells.
    func finish(replacing expected: FileFacts?) throws {
        if let expected {
            OpenFile.waitWhileWritten(here)
            var status = stat()
            guard lstat(here, &status) == 0 else {
                throw errno == ENOENT ? OwnFileError.missing : OwnFileError(errno: errno)
            }
            guard try expected.isSame(as: status) || FileFacts.read(here).sha256 == expected.sha256 else {
                throw OwnFileError.changedMeanwhile
            }
        }
        if let expected {
            guard rename(temporary, beside) == 0 else { throw OwnFileError(errno: errno) }
            isFinished = true
            try exchange(expected)
        } else {
            guard rename(temporary, here) == 0 else { throw OwnFileError(errno: errno) }
            isFinished = true
        }
        do throws(OwnFileError) {
            try beforeSync()
            try FileRights.sync(folder: folder)
        } catch {
            if case .failed(let code) = error { throw OwnFileError.notSynced(code) }
            throw error
        }
    }

    /// Puts the file in place. If another program has replaced or changed the old one since the last look, its file is put
    /// back; if that takes out a still newer one, so is that one, and so on: what comes out must be what was put in before.
    private func exchange(_ expected: FileFacts) throws {
        guard PrivateFiles.exchange(beside, here) else {
            // Not every file system can exchange.
            guard [EINVAL, ENOSYS, ENOTSUP].contains(errno), rename(beside, here) == 0 else {
                guard errno == ENOENT else { throw OwnFileError(errno: errno) }
                unlink(beside)
                throw OwnFileError.missing
            }
            return
        }
        try afterExchange(beside)
        let found = try Self.settle(
            here, beside, placed: new?.sha256, expected: expected.sha256, facts: expected, afterExchange)
        if found != new?.sha256 { throw OwnFileError.changedMeanwhile }
    }

    /// How often the two files are exchanged before the newest one is set aside: a program that replaces the file all the
    /// time must not keep this one busy for good.
    static let mostExchanges = 5

    /// Exchanges the two files until what is beside the path is what was at the path before, and removes that.
    ///
    /// - Parameters:
    ///   - placed: the hash of the file that was put at the path.
    ///   - expected: the hash of the file that it should have replaced.
    ///   - facts: the facts of that file; nil: they are not known.
    ///   - after: called after each exchange.
    /// - Returns: the hash of what is at the path now, as far as this function knows.
    /// - Throws: ``OwnFileError/setAside(_:)`` if there was no end of it.
    private static func settle(
        _ path: String, _ beside: String, placed: String?, expected: String, facts: FileFacts? = nil,
        _ after: (String) throws(OwnFileError) -> Void = { (_: String) throws(OwnFileError) in }
    ) throws -> String? {
        var (placed, wanted, exchanges) = (placed, Optional(expected), 0)
        while true {
            // A program that opened the old file before it was taken out may still be writing it.
            OpenFile.waitWhileWritten(beside)
            var status = stat()
            let looksSame = wanted == expected && stat(beside, &status) == 0 && facts?.isSame(as: status) == true
            let found = looksSame ? wanted : try FileFacts.read(beside).sha256
            if found == wanted { break }
            // Which of the two is newer can be told only by another exchange, and so on.
            guard exchanges < mostExchanges else { throw OwnFileError.setAside(try setAside(beside, of: path)) }
            exchanges += 1
            // Whatever it is, it is worth more than the file that it was exchanged for.
            guard PrivateFiles.exchange(beside, path) else {
                let code = errno
                // The file was deleted meanwhile, and another program's contents must not be.
                guard code == ENOENT, rename(beside, path) == 0 else { throw OwnFileError.failed(code) }
                return found
            }
            (placed, wanted) = (found, placed)
            try after(beside)
        }
        unlink(beside)
        return placed
    }

    /// Gives what another program has written a name that people see, because it cannot be told whether the file at the
    /// path has it.
    ///
    /// - Returns: the name.
    private static func setAside(_ beside: String, of path: String) throws(OwnFileError) -> String {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { throw .failed(EINVAL) }
        let folder = String(path[...slash])
        let name = String(path[path.unicodeScalars.index(after: slash)...])
        let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        for number in 1...999 {
            let end = ".other-\(number)\(name[dot...])"
            let free = "\(name[..<dot].prefix(bytes: longestName - end.utf8.count))\(end)"
            if PrivateFiles.rename(beside, toFree: folder + free) { return free }
            guard errno == EEXIST else { break }
        }
        throw .failed(errno)
    }

    /// Ends an exchange that was interrupted: an engine was killed in it, or the disk failed. Blocks.
    ///
    /// - Parameters:
    ///   - new: the hash of the file that was being written.
    ///   - old: the hash of the one that it should replace.
    ///   - beside: the name that one of the two has if they were being exchanged.
    /// - Returns: the facts of what is at the path now, which is on the disk; nil: nothing is there.
    /// - Throws: ``OwnFileError`` if that cannot be told now; ``OwnFileError/setAside(_:)`` if it is known, and another
    ///   program's file has another name now.
    static func finish(
        _ path: String, writing new: String, over old: String, exchanged beside: String
    ) throws -> FileFacts? {
        var aside: OwnFileError?
        if access(beside, F_OK) == 0 {
            let found = try FileFacts.read(beside).sha256
            // The exchange has not begun, or has taken out what it should.
            if found == new || found == old {
                unlink(beside)
            } else if try facts(path)?.sha256 == new {
                // Another program had replaced the old file in the last moment.
                do { _ = try settle(path, beside, placed: new, expected: old) } catch OwnFileError.setAside(let name) {
                    aside = .setAside(name)
                }
            } else if !PrivateFiles.rename(beside, toFree: path) {
                // It can no longer be told which of the two is newer.
                aside = .setAside(try setAside(beside, of: path))
            }
        }
        if let slash = path.unicodeScalars.lastIndex(of: "/") {
            // The caller forgets the changes once it is told that the file has them.
            do throws(OwnFileError) { try FileRights.sync(folder: String(path[...slash])) } catch {
                guard case .failed(ENOENT) = error else { throw error }
            }
        }
        let found = try facts(path)
        if let aside { throw aside }
        return found
    }

    /// - Returns: nil if there is no file.
    private static func facts(_ path: String) throws -> FileFacts? {
        do { return try FileFacts.read(path) } catch OwnFileError.missing { return nil }
    }

    /// Removes what killed engines were writing beside a file. Blocks.
    static func removeLeftovers(of path: String) {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        removeLeftovers(in: folder, startingWith: start(String(path[path.unicodeScalars.index(after: slash)...])))
    }

    /// Removes what killed engines were writing for a file, as far as its state tells. Blocks.
    static func removeLeftovers(of state: OwnFileState) {
        for path in [state.path, state.copying].compactMap({ $0 }) { removeLeftovers(of: path) }
        guard let intent = state.intent else { return }
        _ = try? finish(
            state.path, writing: intent.sha256, over: state.facts.sha256, exchanged: intent.exchanged)
    }

    private static let newSuffix = ".postilla-new"

    /// The most bytes that a name may have.
    private static let longestName = 255

    /// Leaves room for the number of a process, a random one and a suffix.
    private static func start(_ name: String) -> String { ".\(name.prefix(scalars: 60).prefix(bytes: 200))." }

    /// Removes what earlier engines were writing when they were killed.
    private static func removeLeftovers(in folder: String, startingWith start: String) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names where name.ends(with: newSuffix) {
            guard let parts = name.dropping(prefix: start)?.split(scalar: ".") else { continue }
            guard parts.count == 3, let pid = pid_t(parts[0]), ProcessIdentity.hasEnded(pid) else { continue }
            unlink("\(folder)/\(name)")
        }
    }

    /// Follows symlinks, but not those of other accounts where every account can make them.
    ///
    /// - Throws: ``OwnFileError/foreignLink(_:)``
    static func followed(_ path: String) throws(OwnFileError) -> String {
        do throws(FilePlace.Problem) { return try FilePlace(of: path).path } catch {
            if case .foreignLink(let link) = error { throw .foreignLink(link) }
            // What is kept of a file is found by its path, even if that cannot be followed any more.
            return resolved(path)
        }
    }

    /// Follows symlinks, also of a file that does not exist yet. Only for comparing paths.
    static func resolved(_ path: String) -> String {
        if let real = realPath(path) { return real }
        var link = [UInt8](repeating: 0, count: 4096)
        let count = link.withUnsafeMutableBytes { readlink(path, $0.bindMemory(to: CChar.self).baseAddress!, 4096) }
        if count > 0 {
            let target = String(decoding: link[..<count], as: UTF8.self)
            let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            return target.begins(with: "/") ? target : folder + target
        }
        guard let slash = path.unicodeScalars.lastIndex(of: "/"), let folder = realPath(String(path[...slash])) else {
            return path
        }
        return (folder == "/" ? "" : folder) + path[slash...]
    }

    static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}
