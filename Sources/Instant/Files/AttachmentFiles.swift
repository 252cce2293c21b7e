import Annotations
import Crypto
import FoundationEssentials
import InstantCore

/// The attachments of one layer, named by their SHA-256: those added here, and those loaded.
struct AttachmentFiles: Sendable {
    let folder: String

    /// - Parameter layer: The layer's folder.
    init(layer: String) { folder = layer + "/attachments" }

    /// Files of this size are rare, and only one at a time is in memory, while it is sent.
    static let maximumBytes = 64 << 20

    func path(_ id: AttachmentID) -> String { "\(folder)/\(id.hex)" }

    static func id(of data: Data) -> AttachmentID? { AttachmentID(SHA256.hash(data: data).hexadecimal) }

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
        if holds(id) { return id }
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

    /// Returns the paths of files that can be loaded again.
    func removable(but needed: Set<AttachmentID>) -> [String] {
        Folders.entries(folder).filter { name in
            AttachmentID(String(name.prefix(64))).map { !needed.contains($0) } ?? true
        }.map { "\(folder)/\($0)" }
    }

    var bytes: Int64 { Folders.entries(folder).reduce(0) { $0 + Folders.size("\(folder)/\($1)") } }
}
