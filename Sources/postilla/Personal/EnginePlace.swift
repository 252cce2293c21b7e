import Annotations
import Crypto
import FoundationEssentials
import Glibc

/// The folders of the engine that serves one data folder's own PDFs, and its socket.
struct EnginePlace: Hashable, Sendable {
    /// What must survive a restart of the machine: the signing key, and changes that are not in the files yet.
    let data: String
    /// Everything else, usually in memory.
    let runtime: String
    /// Whether ``runtime`` is in memory, so that what is only there is never on a disk.
    let isInMemory: Bool
    let log: String

    /// The limit of a socket's path (unix(7)), without the final zero.
    private static let maxSocketBytes = 107

    var socket: String { runtime + "/engine.sock" }
    var lock: String { runtime + "/engine.lock" }
    /// The engine's database.
    var database: String { runtime + "/data" }
    /// The states of files that have nothing to lose.
    var states: String { runtime + "/files" }
    /// The local stores of the clients.
    var layers: String { runtime + "/layers" }
    var kept: String { data + "/files" }
    var key: String { data + "/signing-key.pem" }

    /// The folder of the steps that can be undone.
    var undo: String { runtime + "/undo" }

    /// The address of the engine for clients.
    var server: String { "http+unix://" + PercentEncoding.encode(socket) }

    /// - Throws: ``CommandFailure`` if no folder is safe and short enough.
    init(_ folders: Folders) throws {
        data = folders.data + "/engine"
        log = folders.state + "/engine.log"
        // Each data folder has an engine of its own.
        let name = SHA256.hash(data: Array(Self.absolute(folders.data).utf8)).prefix(4).hexadecimal
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["XDG_RUNTIME_DIR"], folder.begins(with: "/"), Self.isPrivate(folder),
            case let runtime = "\(folder)/postilla/\(name)", Self.fits(runtime)
        {
            self.runtime = runtime
        } else {
            runtime = "\(Self.absolute(folders.state))/engine/\(name)"
            guard Self.fits(runtime) else {
                throw CommandFailure(
                    "the path of the engine's socket is too long (\(runtime)); set XDG_RUNTIME_DIR to a short folder of your own"
                )
            }
        }
        isInMemory = Self.isInMemory(runtime)
    }

    private static func fits(_ folder: String) -> Bool { (folder + "/engine.sock").utf8.count <= maxSocketBytes }

    private static func absolute(_ path: String) -> String {
        path.begins(with: "/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Creates the folders, and checks that only this user can enter them.
    ///
    /// - Throws: ``CommandFailure`` with the reason and what to do.
    func make() throws {
        try Folders.make(String(log[..<(log.unicodeScalars.lastIndex(of: "/") ?? log.endIndex)]))
        for folder in [
            data, String(runtime[..<(runtime.unicodeScalars.lastIndex(of: "/") ?? runtime.endIndex)]), runtime,
        ] {
            try Folders.make(folder)
            guard Self.isPrivate(folder) else {
                throw CommandFailure(
                    "\(folder) must be a folder of your own that nobody else can enter, not a link; run chmod 700, or remove it"
                )
            }
        }
        if let kind = Self.networkFileSystem(data) {
            throw CommandFailure(
                "\(data) is on a network file system (\(kind)), where locks and crashes are not safe; use --data-dir or POSTILLA_DATA with a local folder"
            )
        }
    }

    /// Whether a folder belongs to this user, who alone can enter it, and is not a link.
    private static func isPrivate(_ folder: String) -> Bool {
        var status = stat()
        return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o077 == 0
    }

    // MARK: File systems (statfs(2))

    private static func fileSystem(_ path: String) -> UInt32? {
        // The nearest folder that exists.
        typealias Function = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> CInt
        // Swift's Glibc does not declare it.
        guard let function = dlsym(nil, "statfs").map({ unsafeBitCast($0, to: Function.self) }) else { return nil }
        var path = path
        // Larger than struct statfs, whose first member is the type, as a word.
        var status = [Int](repeating: 0, count: 64)
        while function(path, &status) != 0 {
            guard errno == ENOENT, let slash = path.unicodeScalars.lastIndex(of: "/"), slash > path.startIndex else {
                return nil
            }
            path = String(path[..<slash])
        }
        return UInt32(truncatingIfNeeded: status[0])
    }

    static func isInMemory(_ path: String) -> Bool { [0x0102_1994, 0x8584_58F6].contains(fileSystem(path)) }

    private static func networkFileSystem(_ path: String) -> String? {
        switch fileSystem(path) {
        case 0x6969: "NFS"
        case 0xFF53_4D42, 0xFE53_4D42, 0x517B: "SMB"
        case 0x00C3_6400: "Ceph"
        case 0x5346_414F, 0x6B41_4653: "AFS"
        default: nil
        }
    }
}
