import Annotations
public import FoundationEssentials
public import InstantCore

/// A layer stored on this machine, read without opening it.
public struct InstantCacheEntry: Hashable, Sendable {
    /// The address without a trailing slash. Empty, like the names below, for a layer that no longer says which one it
    /// is.
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
    /// The size of the files with the text of the PDF's pages, which are recomputed when they are removed.
    public var textBytes: Int64 = 0
    public var state: DocumentState
    /// When a cycle last succeeded, by the local clock.
    public var lastSync: Date?
    /// The number of records that others changed and that have not been viewed here since.
    public var unread: Int
    /// The number of edits stored only here: waiting, parked, in conflict or refused.
    public var unsent: Int
    /// Why it cannot be opened, as a sentence; nil if it can.
    public var problem: String?
    /// What is damaged in a layer that opens nevertheless, as far as listing it has shown, as a sentence; nil if nothing
    /// is. ``InstantClient/checkStorage(in:)`` reads everything.
    public var damage: String?

    package var folder: String
    /// The PDF that it needs; empty for none, nil if unknown.
    var pdfSHA256: String?
    /// Whether ``InstantClient/repair(_:in:)`` can replace the store.
    var isRepairable = false
    /// Files that local edits need, as far as they can be read.
    var attachments: Set<AttachmentID> = []
    /// The PDFs of side stores.
    var otherPDFs: Set<String> = []

    package var identity: LayerIdentity {
        LayerIdentity(server: server, documentID: documentIdentifier, layer: layerName, userID: userID)
    }
}

extension InstantCacheEntry {
    /// The PDFs of all its stores, as far as they are known.
    var pdfs: Set<String> { otherPDFs.union(pdfSHA256.map { [$0] } ?? []) }

    func uses(pdf sha256: String) -> Bool { pdfs.contains(sha256) }

    /// Returns all layers in a data folder, for every server and user. Unreadable layers are listed with their problem.
    static func all(in folders: Folders) -> [InstantCacheEntry] {
        folders.layerFolders.map { folder in
            do { return try InstantCacheEntry(folder: folder, folders: folders) } catch {
                return InstantCacheEntry(broken: folder, folders, because: error)
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
        if Folders.isSHA256(metadata.pdfSHA256) {
            textBytes = folders.texts(metadata.pdfSHA256).reduce(0) { $0 + Folders.size($1) }
        }
        var found = store.damage.map(\.description)
        for side in Folders.sides(in: folder) {
            do { found += try add(side: side) } catch {
                // Which PDF it needs is unknown.
                pdfSHA256 = nil
                found.append(InstantError(error).message)
            }
        }
        if !found.isEmpty { damage = "damaged: \(found.shortList)" }
    }

    /// Returns the files that local edits in any store of a layer need.
    ///
    /// - Throws: ``InstantError`` if an edit cannot be read.
    static func attachmentsInUse(in folder: String) throws(InstantError) -> Set<AttachmentID> {
        var used: Set<AttachmentID> = []
        for path in ([folder] + Folders.sides(in: folder)).map(Folders.database) where LayerRepair.hasStore(path) {
            try InstantError.translating {
                let store = try LocalSQLiteStore(lookingInto: path)
                defer { store.close() }
                used.formUnion(try Layer(store: store).attachmentsInUse())
                store.noteGaps()
                guard store.damage.isEmpty else {
                    throw InstantError(
                        .couldNotRemoveDiskCacheEntries,
                        "the files of \(folder) stay, because a damaged edit may need them: "
                            + store.damage.map(\.description).shortList)
                }
            }
        }
        return used
    }

    /// Adds what a side store has; the rest is as in the main store.
    ///
    /// - Returns: What is damaged in it.
    private mutating func add(side folder: String) throws -> [String] {
        guard LayerRepair.hasStore(Folders.database(in: folder)) else { return [] }
        let store = try LocalSQLiteStore(lookingInto: Folders.database(in: folder))
        defer { store.close() }
        let layer = Layer(store: store)
        unsent += try layer.tally().reduce(0) { $0 + ($1.key == .applied ? 0 : $1.value) }
        layerBytes += Self.bytes(of: folder)
        attachments.formUnion(try layer.attachmentsInUse())
        otherPDFs.insert(try layer.metadata().pdfSHA256)
        return store.damage.map { "another view: \($0)" }
    }

    private init(broken folder: String, _ folders: Folders, because error: any Error) {
        let label = LayerLabel.read(LayerLabel.path(besides: Folders.database(in: folder))).label
        // The folder's name is a hash of the names.
        let identity = label?.identity.flatMap { folders.layer($0) == folder ? $0 : nil }
        let isDamaged = if case .corrupt = error as? LocalStoreError { true } else { false }
        self.init(
            server: identity?.server ?? "", documentIdentifier: identity?.documentID ?? "",
            layerName: identity?.layer ?? "", userID: identity?.userID, title: "", isDownloaded: false,
            layerBytes: Self.bytes(of: folder), pdfBytes: 0, state: .invalid, lastSync: nil, unread: 0, unsent: 0,
            problem: InstantError(error).message, folder: folder, pdfSHA256: label?.pdfSHA256,
            isRepairable: isDamaged)
    }

    /// Whether it can be the layer with these names; nil stands for any name.
    package func fits(server: String?, document: String?, layer: String?, user: String?) -> Bool {
        if problem != nil, self.server.isEmpty {
            guard let server, let document, let layer, let user else { return false }
            let identity = LayerIdentity(
                server: server, documentID: document, layer: layer, userID: user.isEmpty ? nil : user)
            return folder.ends(with: Folders.place(of: identity))
        }
        func fits(_ wanted: String?, _ name: String) -> Bool { wanted.map { $0.isExactly(name) } ?? true }
        return (server.map(isOf) ?? true) && fits(document, documentIdentifier) && fits(layer, layerName)
            && fits(user, userID ?? "")
    }

    /// Whether it is a layer of this server, however the address is spelled.
    package func isOf(server: String) -> Bool {
        ServerAddress.oneForm(of: server).isExactly(ServerAddress.oneForm(of: self.server))
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
