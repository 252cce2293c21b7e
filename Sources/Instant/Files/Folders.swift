import Annotations
import Authorization
import FoundationEssentials
import Glibc
import InstantCore
import NIOPosix

/// The files on this machine. Ids of documents, layers and users never become file names: their hashes do.
///
/// ```
/// DATA/author                               the remembered author
/// DATA/pdfs/HASH.pdf, HASH.part             by SHA-256 of the PDF, shared by all layers and users
/// DATA/pdfs/HASH.words, HASH.search         the text of its pages, kept by the program; can be recomputed
/// DATA/layers/SERVER-USER/DOCUMENT-LAYER/   layer.sqlite, layer.json (LayerLabel), attachments/,
///                                           sync.lock, claim.lock, open.lock, layer.lock, attachments.lock
/// …/DOCUMENT-LAYER/views/VIEW/              the same without attachments: a side store (LayerStores)
/// ```
struct Folders: Hashable, Sendable {
    let root: String

    /// Creates missing folders, accessible only to this user.
    ///
    /// - Throws: ``InstantError`` if one cannot be created, is a symbolic link, or stays writable by others.
    init(root: String) throws(InstantError) {
        self.root = root
        for folder in [root, pdfs, layers] { try Self.make(folder) }
    }

    var pdfs: String { root + "/pdfs" }
    var layers: String { root + "/layers" }
    var author: String { root + "/author" }

    func pdf(_ sha256: String) -> String { "\(pdfs)/\(sha256).pdf" }
    func part(_ sha256: String) -> String { "\(pdfs)/\(sha256).part" }
    /// Returns the files with the text of the pages.
    func texts(_ sha256: String) -> [String] { [".words", ".search"].map { "\(pdfs)/\(sha256)\($0)" } }

    /// Returns the folder of all layers of one user on one server.
    func user(server: String, userID: String?) -> String { layers + "/" + Self.userName(server, userID) }

    func layer(_ identity: LayerIdentity) -> String { layers + Self.place(of: identity) }

    /// Returns the end of the path of a layer's folder.
    static func place(of identity: LayerIdentity) -> String {
        "/" + userName(identity.server, identity.userID) + "/" + layerName(identity)
    }

    /// Returns the name of a layer's folder, the same for every server and user.
    static func layerName(_ identity: LayerIdentity) -> String { name([identity.documentID, identity.layer]) }

    /// Returns the folder of all layers of a layer's user and server.
    func user(of identity: LayerIdentity) -> String { layers + "/" + Self.userName(identity.server, identity.userID) }

    private static func userName(_ server: String, _ userID: String?) -> String {
        name([server, userID == nil ? "anonymous" : "user", userID ?? ""])
    }

    static func database(in folder: String) -> String { folder + "/layer.sqlite" }
    /// Returns the lock file of the process that leads.
    static func lock(in folder: String) -> String { folder + "/sync.lock" }
    /// Returns the lock file of processes that are waiting to lead.
    static func claim(in folder: String) -> String { folder + "/claim.lock" }
    /// Returns the lock file of every process that has the layer open.
    static func use(in folder: String) -> String { folder + "/open.lock" }

    /// Returns the folder of the side store for a view.
    static func side(in layer: String, view: ViewScope) -> String { layer + "/views/" + name([view.canonicalText]) }
    /// Returns the folders of a layer's side stores.
    static func sides(in layer: String) -> [String] { entries(layer + "/views").map { "\(layer)/views/\($0)" } }

    /// Whether the text is a SHA-256 in lower-case hex, which also names attachments.
    static func isSHA256(_ text: String) -> Bool { AttachmentID(text) != nil }

    static func make(_ path: String) throws(InstantError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw InstantError(.couldNotWriteToDisk, "cannot create the folder \(path): \(reason(of: error))")
        }
        var info = stat()
        guard lstat(path, &info) == 0 else {
            throw InstantError(.couldNotReadFromDiskCache, "cannot read the folder \(path): \(errnoText())")
        }
        guard info.st_mode & S_IFMT == S_IFDIR else {
            throw InstantError(.couldNotWriteToDisk, "\(path) is not a real folder (a link?); use the real path")
        }
        guard info.st_mode & 0o002 == 0 else {
            throw InstantError(.couldNotWriteToDisk, "\(path) is writable by everyone; run chmod o-w")
        }
        // Common where each user has a separate group. Other members of a group could replace files.
        guard info.st_mode & 0o020 == 0 || chmod(path, info.st_mode & 0o7757) == 0 else {
            throw InstantError(.couldNotWriteToDisk, "\(path) is writable by its group; run chmod g-w")
        }
    }

    /// Withdraws the rights of others to a database and the files beside it. SQLite creates them by the umask.
    ///
    /// Works by name, because closing a descriptor of the database would end this process's locks on it (SQLite, "How
    /// to corrupt an SQLite database file", section 2.2).
    static func makePrivate(database path: String) {
        for name in ["", "-wal", "-shm"].map({ path + $0 }) where isFile(name) { chmod(name, 0o600) }
    }

    /// Lengths are hashed too, so that different lists of texts get different names.
    private static func name(_ texts: [String]) -> String {
        var hash = SHA256Hash()
        for text in texts { hash.add(Array("\(text.utf8.count):\(text)".utf8)) }
        return hash.digest.prefix(16).hexadecimal
    }
}

func errnoText() -> String { String(cString: strerror(errno)) }

/// Tells a file from another one of the same name.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let number: ino_t

    /// Returns nil if the file does not exist.
    init?(_ path: String) {
        var info = stat()
        guard lstat(path, &info) == 0 else { return nil }
        (device, number) = (info.st_dev, info.st_ino)
    }
}

extension Folders {
    /// Whether the path is a plain file, not a link to one.
    static func isFile(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }

    /// Returns the size of a file in bytes; 0 if it does not exist.
    static func size(_ path: String) -> Int64 {
        var info = stat()
        return lstat(path, &info) == 0 ? Int64(info.st_size) : 0
    }
}

extension Folders {
    /// The folders of all layers, of all users and servers.
    var layerFolders: [String] {
        Self.entries(layers).flatMap { user in
            Self.entries(layers + "/" + user).map { "\(layers)/\(user)/\($0)" }
        }.filter { LayerRepair.hasStore(Self.database(in: $0)) }
    }

    /// Returns the sorted names in a folder; empty if it cannot be read.
    static func entries(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Like ``entries(_:)``, if what cannot be read must not pass for empty.
    ///
    /// - Throws: `couldNotReadFromDiskCache`, except if the folder does not exist.
    static func readableEntries(_ folder: String) throws(InstantError) -> [String] {
        guard FileIdentity(folder) != nil else { return [] }
        do { return try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch {
            throw InstantError(
                .couldNotReadFromDiskCache, "cannot read the folder \(folder): \(reason(of: error))")
        }
    }

    /// The names in the folder are on disk when this returns.
    static func flush(_ folder: String) throws(InstantError) {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            throw InstantError(.couldNotWriteToDisk, "cannot open \(folder): \(errnoText())")
        }
        defer { close(directory) }
        guard fsync(directory) == 0 else {
            throw InstantError(.couldNotWriteToDisk, "cannot write \(folder): \(errnoText())")
        }
    }

    static func remove(_ path: String) throws(InstantError) {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            throw InstantError(.couldNotRemoveDiskCacheEntries, "cannot remove \(path): \(reason(of: error))")
        }
    }

    /// Removes a layer's folder. If something in it cannot be removed, its database stays, so that the layer is still
    /// listed. The locks go last: until then, no other process opens what is being removed.
    ///
    /// A kill leaves the whole store or an empty one: without a part of its log, the store would be an earlier one, which
    /// does not know what it has sent.
    ///
    /// - Parameter didChange: Called after each step; for tests.
    static func remove(
        layer folder: String, didChange: () throws(InstantError) -> Void = {}
    ) throws(InstantError) {
        let store = database(in: folder)
        let files = [store + "-shm", store + "-wal", store]
        let locks = entries(folder).filter { $0.ends(with: ".lock") }.map { folder + "/" + $0 }
        let last = files + locks
        for path in entries(folder).map({ folder + "/" + $0 }) where !last.contains(path) {
            try remove(path)
            try didChange()
        }
        for path in last where isFile(path) {
            if path.ends(with: "-wal"), isFile(store), truncate(store, 0) != 0 {
                throw InstantError(.couldNotRemoveDiskCacheEntries, "cannot remove \(store): \(errnoText())")
            }
            try didChange()
            try remove(path)
            try didChange()
        }
        // Another process may be making the layer again.
        guard rmdir(folder) == 0 || [ENOTEMPTY, EEXIST, ENOENT].contains(errno) else {
            throw InstantError(.couldNotRemoveDiskCacheEntries, "cannot remove \(folder): \(errnoText())")
        }
    }

    /// Returns the system's own message, which Foundation wraps.
    private static func reason(of error: any Error) -> String {
        guard let said = (error as? CocoaError)?.underlying as? POSIXError else { return "\(error)" }
        return String(cString: strerror(said.code.rawValue))
    }
}

extension Folders {
    /// The author for new records of this installation: one line, at most 1 KB.
    var rememberedAuthor: String? {
        guard Self.isFile(author), let data = FileManager.default.contents(atPath: author) else { return nil }
        let name = String(decoding: data.prefix(1024), as: UTF8.self).prefix(whileScalar: { !$0.isLineEnd })
        return name.isEmpty ? nil : String(name)
    }

    func rememberAuthor(_ name: String?) {
        guard let name else {
            try? FileManager.default.removeItem(atPath: author)
            return
        }
        _ = FileManager.default.createFile(
            atPath: author, contents: Data(name.utf8), attributes: [.posixPermissions: 0o600])
    }
}

/// A task executor that accesses files on NIO's threads for blocking work, so that the threads of other tasks never
/// wait for a disk.
final class DiskExecutor: TaskExecutor {
    static let shared = DiskExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        NIOThreadPool.singleton.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
