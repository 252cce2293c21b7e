import Annotations
public import FoundationEssentials
public import InstantCore

/// A layer stored on this machine, read without opening it.
public struct InstantCacheEntry: Hashable, Sendable {
    /// The address without a trailing slash. Empty, like the names below, for a layer that cannot be opened.
    public var server: String
    public var documentIdentifier: String
    /// Empty for the default layer.
    public var layerName: String
    /// nil if anonymous.
    public var userID: String?
    public var title: String
    /// Whether the PDF and the records are stored.
    public var isDownloaded: Bool
    /// The size of the layer's own files.
    public var layerBytes: Int64
    /// The size of the PDF, which other layers may share; 0 if it is not stored.
    public var pdfBytes: Int64
    public var state: DocumentState
    /// When a cycle last succeeded, by the local clock.
    public var lastSync: Date?
    /// The number of records that others changed and that have not been viewed here since.
    public var unread: Int
    /// The number of edits stored only here: waiting, parked, in conflict or refused.
    public var unsent: Int
    /// Why it cannot be opened, as a sentence; nil if it can.
    public var problem: String?

    var folder: String
    var pdfSHA256: String
    /// Files that local edits need.
    var attachments: Set<AttachmentID> = []

    package var identity: LayerIdentity {
        LayerIdentity(server: server, documentID: documentIdentifier, layer: layerName, userID: userID)
    }
}

extension InstantCacheEntry {
    /// Returns all layers in a data folder, for every server and user. Unreadable layers are listed with their problem.
    static func all(in folders: Folders) -> [InstantCacheEntry] {
        folders.layerFolders.map { folder in
            do { return try InstantCacheEntry(folder: folder, folders: folders) } catch {
                return InstantCacheEntry(broken: folder, problem: InstantError(error).message)
            }
        }
    }

    private init(folder: String, folders: Folders) throws {
        let path = Folders.database(in: folder)
        let store = try LocalSQLiteStore(lookingInto: path)
        defer { store.close() }
        let layer = Layer(store: store)
        let metadata = try layer.metadata()
        let tally = try layer.tally()
        let pdf = Folders.isSHA256(metadata.pdfSHA256) ? Folders.size(folders.pdf(metadata.pdfSHA256)) : 0
        let unsent = tally.reduce(0) { $0 + ($1.key == .applied ? 0 : $1.value) }
        self.init(
            server: metadata.identity.server, documentIdentifier: metadata.identity.documentID,
            layerName: metadata.identity.layer, userID: metadata.identity.userID, title: metadata.title,
            isDownloaded: pdf > 0 && metadata.cursor != nil, layerBytes: Self.bytes(of: folder), pdfBytes: pdf,
            state: try store.state(of: metadata, hasUnsent: tally.hasPending), lastSync: metadata.lastSync?.date,
            unread: try layer.unreadCount(), unsent: unsent, problem: nil, folder: folder,
            pdfSHA256: metadata.pdfSHA256, attachments: try layer.attachmentsInUse())
    }

    private init(broken folder: String, problem: String) {
        self.init(
            server: "", documentIdentifier: "", layerName: "", userID: nil, title: "", isDownloaded: false,
            layerBytes: Self.bytes(of: folder), pdfBytes: 0, state: .invalid, lastSync: nil,
            unread: 0, unsent: 0, problem: problem, folder: folder, pdfSHA256: "")
    }

    private static func bytes(of folder: String) -> Int64 {
        ["", "-wal", "-shm"].reduce(AttachmentFiles(layer: folder).bytes) {
            $0 + Folders.size(Folders.database(in: folder) + $1)
        }
    }
}

extension [OutboxEntry.Stage: Int] {
    /// Whether edits wait. Rejected ones wait for the user only, and do not make a layer dirty.
    fileprivate var hasPending: Bool { [.waiting, .sealed, .parked].contains { self[$0, default: 0] > 0 } }
}
