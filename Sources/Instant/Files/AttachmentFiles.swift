import Annotations
import FoundationEssentials
import Glibc
import InstantCore

/// The attachments of one layer, named by their SHA-256: those added here, and those loaded.
struct AttachmentFiles: Sendable {
    let folder: String

    /// - Parameter layer: The layer's folder.
    init(layer: String) { folder = layer + "/attachments" }

    /// Files of this size are rare, and only one at a time is in memory, while it is sent.
    static let maximumBytes = 64 << 20

    func path(_ id: AttachmentID) -> String { "\(folder)/\(id.hex)" }

    static func id(of data: Data) -> AttachmentID? { AttachmentID(SHA256Hash(of: data).digest.hexadecimal) }

    func holds(_ id: AttachmentID) -> Bool { Folders.isFile(path(id)) }

    /// Stores a file; it is on disk when this returns.
    ///
    /// - Throws: `couldNotCreateAttachment`.
    func add(_ data: Data) throws(InstantError) -> AttachmentID {
        guard !data.isEmpty else { throw InstantError(.couldNotCreateAttachment, "the file is empty") }
        guard data.count <= Self.maximumBytes else {
            throw InstantError(
                .couldNotCreateAttachment, "the attachment is larger than \(Self.maximumBytes >> 20) MB")
        }
        guard let id = Self.id(of: data) else {
            throw InstantError(.couldNotCreateAttachment, "the file has no name")
        }
        // A damaged file is written again: this may be the only chance.
        if holds(id), let data = FileManager.default.contents(atPath: path(id)), Self.id(of: data) == id { return id }
        do {
            let part = try open(id)
            try part.drop()
            try data.withUnsafeBytes(part.append)
            try part.finish(as: path(id), in: folder)
        } catch is PartFile.Busy where holds(id) {
            // Another writer finished it at the same time.
        } catch { throw InstantError(.couldNotCreateAttachment, "cannot store the file: \(error)") }
        return id
    }

    /// Opens a partial file; it gets its final name once it is complete.
    ///
    /// - Throws: ``PartFile/Busy``, ``InstantError``.
    func open(_ id: AttachmentID) throws -> PartFile {
        try Folders.make(folder)
        return try PartFile(path: path(id) + ".part")
    }

    /// Runs the body while no process removes files that look unused: from the time that a file is stored to the time
    /// that the store names it.
    func withoutRemovals<T>(_ body: () throws(InstantError) -> T) throws(InstantError) -> T {
        try locked(shared: true, body) { why in
            InstantError(.couldNotCreateAttachment, "cannot store the file: \(why)")
        }
    }

    /// Removes files that can be loaded again.
    ///
    /// - Parameters:
    ///   - needed: Returns those that local edits need. No process adds one until the removal has ended.
    ///   - remove: Removes the file with a path.
    func removeUnused(
        needed: () throws(InstantError) -> Set<AttachmentID>, remove: (String) -> Void
    ) throws(InstantError) {
        guard !Folders.entries(folder).isEmpty else { return }
        try locked(shared: false) { () throws(InstantError) in
            let needed = try needed()
            for name in Folders.entries(folder) {
                if let id = AttachmentID(String(name.prefix(scalars: 64))), needed.contains(id) { continue }
                let path = "\(folder)/\(name)"
                if !PartFile.isBeingWritten(path) { remove(path) }
            }
        } orElse: { why in
            InstantError(.couldNotRemoveDiskCacheEntries, "the files in \(folder) stay: \(why)")
        }
    }

    /// Puts a damaged file out of the way: removes it, or keeps it under another name if a local edit may need it.
    ///
    /// - Parameter needed: Returns the files that local edits need; nil if an edit cannot be read.
    /// - Returns: The new name; nil if the file was removed, or is whole by now.
    func putAside(_ id: AttachmentID, needed: () -> Set<AttachmentID>?) throws(InstantError) -> String? {
        try locked(shared: false) { () throws(InstantError) in
            let file = path(id)
            if let data = FileManager.default.contents(atPath: file), Self.id(of: data) == id { return nil }
            guard needed()?.contains(id) ?? true else {
                try Folders.remove(file)
                return nil
            }
            // The only copy, of which most may be readable.
            guard rename(file, file + ".damaged") == 0 else {
                throw InstantError(.couldNotWriteToDisk, "cannot rename \(file): \(errnoText())")
            }
            return file + ".damaged"
        } orElse: { why in
            InstantError(.couldNotWriteToDisk, "the files in \(folder) stay: \(why)")
        }
    }

    private func locked<T>(
        shared: Bool, _ body: () throws(InstantError) -> T, orElse: (String) -> InstantError
    ) throws(InstantError) -> T {
        let path = folder + ".lock"
        let lock: FileLock
        do { lock = try FileLock(taking: path, shared: shared, milliseconds: 2000) } catch {
            switch error {
            case .held, .replaced: throw orElse("\(FileUsers.names(of: path)) is using them; try again")
            case .failed(let number): throw orElse("cannot lock \(path): \(String(cString: strerror(number)))")
            }
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    var bytes: Int64 { Folders.entries(folder).reduce(0) { $0 + Folders.size("\(folder)/\($1)") } }
}
