public import Annotations
import FoundationEssentials
public import InstantCore

/// One layer on this machine, read without opening it.
public struct InstantCacheEntry: Hashable, Sendable {
    /// The address without a slash at its end. Empty, like the names below, for a layer that cannot be opened.
    public var server: String
    public var documentIdentifier: String
    /// The default layer's name is the empty string.
    public var layerName: String
    /// nil: anonymous.
    public var userID: String?
    public var title: String
    /// PDF and records are here.
    public var isDownloaded: Bool
    /// Of the layer's own files.
    public var layerBytes: Int64
    /// Of the PDF, which other layers may share; 0 when it is not here.
    public var pdfBytes: Int64
    public var state: DocumentState
    /// When a cycle last ended well, by the local clock.
    public var lastSync: Timestamp?
    /// Records that others changed and nobody looked at here since.
    public var unread: Int
    /// Edits that are only here: waiting, kept back, in conflict or refused.
    public var unsent: Int
    /// Why it cannot be opened, in a sentence.
    public var problem: String?

    var folder: String
    var pdfSHA256: String
    /// Files that edits of ours need.
    var attachments: Set<AttachmentID> = []

    package var identity: LayerIdentity {
        LayerIdentity(server: server, documentID: documentIdentifier, layer: layerName, userID: userID)
    }
}

extension InstantCacheEntry {
    /// Everything under a data folder, of every server and user. What cannot be read is listed with its problem.
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
        let facts = try layer.metadata()
        let tally = try layer.tally()
        let pdf = Folders.isSHA256(facts.pdfSHA256) ? Folders.size(folders.pdf(facts.pdfSHA256)) : 0
        let unsent = tally.reduce(0) { $0 + ($1.key == .applied ? 0 : $1.value) }
        self.init(
            server: facts.identity.server, documentIdentifier: facts.identity.documentID,
            layerName: facts.identity.layer, userID: facts.identity.userID, title: facts.title,
            isDownloaded: pdf > 0 && facts.cursor != nil, layerBytes: Self.bytes(of: folder), pdfBytes: pdf,
            state: try store.state(of: facts, hasUnsent: unsent > 0), lastSync: facts.lastSync,
            unread: try layer.unreadCount(), unsent: unsent, problem: nil, folder: folder,
            pdfSHA256: facts.pdfSHA256, attachments: try layer.attachmentsInUse())
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
