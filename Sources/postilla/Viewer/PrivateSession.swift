import Annotations
import DocumentEngine
import FoundationEssentials
import Glibc

/// What a private session has instead of the folders on disk: a folder in memory for everything that the program, its
/// tools and the user's editor write meanwhile. It is removed with the session; that of a killed one with the next.
final class PrivateSession: Sendable {
    let folder: String
    /// Held as long as the session lasts.
    private let lock: CInt

    /// Creates the folder, which becomes that of temporary files for this process and its children. Call it before there
    /// are other threads. Blocks.
    ///
    /// - Throws: ``CommandFailure`` if no folder in memory can be used.
    init() throws {
        try Self.check()
        guard let parent = Self.parent else { throw CommandFailure("XDG_RUNTIME_DIR was removed") }
        for folder in [String(parent.dropLast("/private".count)), parent] {
            try Folders.make(folder)
            try OwnFolder.check(folder)
        }
        // Others must not take a folder that is not locked yet for that of a killed session.
        let entrance = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard entrance >= 0, flock(entrance, LOCK_EX) == 0 else {
            throw CommandFailure("cannot use \(parent): \(String(cString: strerror(errno)))")
        }
        defer { close(entrance) }
        Self.removeLeftovers(in: parent)
        var template = Array("\(parent)/XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure("cannot create a folder in \(parent): \(String(cString: strerror(errno)))")
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        lock = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, setenv("TMPDIR", folder, 1) == 0 else {
            throw CommandFailure("cannot use \(folder): \(String(cString: strerror(errno)))")
        }
    }

    /// Removes the folder. Blocks briefly.
    func end() { try? FileManager.default.removeItem(atPath: folder) }

    deinit {
        end()
        close(lock)
    }

    /// Goes back to the usual folder for temporary files in an engine that a private session has started: the engine
    /// outlives the session's. Call it before there are other threads.
    static func leave() {
        guard let folder = getenv("TMPDIR").map({ String(cString: $0) }), let parent,
            folder.begins(with: parent + "/")
        else { return }
        unsetenv("TMPDIR")
    }

    /// The folder of these folders: in memory, whatever the engine uses.
    private static var parent: String? {
        RuntimeFolders.memory(ProcessInfo.processInfo.environment).map { $0 + "/postilla/private" }
    }

    private static func removeLeftovers(in parent: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            let path = "\(parent)/\(name)"
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    // MARK: Refusals

    /// Whether this shell has a folder in memory. The engine needs one, too, and refuses for itself.
    ///
    /// - Throws: ``CommandFailure`` that names the folder that is missing.
    static func check() throws {
        guard let reason else { return }
        throw CommandFailure("--private needs a folder of your own in memory: \(reason)")
    }

    /// What is wrong with the folder; nil if it can be used.
    private static var reason: String? {
        guard let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], !folder.isEmpty else {
            return "XDG_RUNTIME_DIR is not set in this shell"
        }
        let name = "XDG_RUNTIME_DIR in this shell (\(folder.onOneLine))"
        guard folder.utf8.first == UInt8(ascii: "/") else { return "\(name) is not an absolute path" }
        var status = stat()
        guard lstat(folder, &status) == 0 else { return "\(name) does not exist" }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            return "\(name) must be a folder of your own that only you can enter, not a link"
        }
        return FileSystemKind(of: folder) == .memory ? nil : "\(name) is on a disk"
    }

    /// - Throws: ``CommandFailure`` if the log would be on a disk.
    static func check(log: String?) throws {
        guard let log, FileSystemKind(of: OwnFileLink.absolute(log)) != .memory else { return }
        throw CommandFailure(
            "\(log.onOneLine) is on a disk, where a private session writes nothing; leave out --log, or name a file in "
                + "XDG_RUNTIME_DIR", .usage)
    }

    static let onlyFiles = "a private session opens PDFs only, because layers of servers are kept on disk"
    /// Said when an editor is started, and when it has ended.
    static let aboutEditors = "The text is in memory; your editor may write files of its own (swap, backup, history)"
}

extension ViewerOptions {
    /// Begins a private session if it is to be one. Fails if the file that is to be opened is open otherwise, before the
    /// screen is taken over.
    ///
    /// - Throws: ``CommandFailure``
    func begun() async throws -> ViewerOptions {
        var options = self
        if isPrivate {
            if case .server = start { throw CommandFailure(PrivateSession.onlyFiles, .usage) }
            options.session = try PrivateSession()
        }
        try await checkFile()
        return options
    }

    private func checkFile() async throws {
        guard case .file(let path) = start, !isReadOnly else { return }
        if isPrivate {
            try await OwnFileLink.check(path, folders, isPrivate: true)
        } else if case let folder = EngineFolder(folders),
            case .engine(let place, _)? = try? EngineSearch(folder: folder).look()
        {
            // Without asking the engine, which may be slow.
            let memory = KeptFiles(folder: place.states)
            guard !memory.isOpenPrivately(FilePaths.resolved(OwnFileLink.absolute(path))) else {
                throw CommandFailure("\(path.onOneLine): it is open in a private session; close that window first")
            }
        }
    }
}
