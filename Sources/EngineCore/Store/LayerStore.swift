package import Annotations
package import SyncProtocol

/// Where documents, layers and records are kept. Every implementation passes one suite of tests, the contract.
///
/// Calls block; the performer around it decides on which thread. A write is one transaction: durable when `write`
/// returns, without any trace when its body throws.
package protocol LayerStore: Sendable {
    func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result
    func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result
}

/// A consistent look at the store. Valid only inside the body it was given to.
///
/// Record ids compare by their UTF-8 bytes, never by Unicode equivalence.
package protocol StoreReading {
    func document(_ id: String) throws -> ServerDocument?
    func documents(_ query: DocumentQuery) throws -> [ServerDocument]
    /// How many documents the query finds, its offset and limit aside.
    func documentCount(_ query: DocumentQuery) throws -> Int
    func isPDFUsed(_ sha256: String) throws -> Bool
    /// When the set of base records was begun, while no document has it. The start of time: it is being removed.
    func unusedSince(_ base: Int64) throws -> Timestamp?
    /// Sets of base records that no document has and that were begun before the moment, or are being removed.
    func unusedBases(before moment: Timestamp) throws -> [Int64]

    /// nil for a hidden layer as well.
    func layer(_ key: LayerKey) throws -> ServerLayer?
    /// Every layer but the hidden ones.
    func layers() throws -> [LayerKey]
    /// Names, in byte order, without those of hidden layers.
    func layerNames(of document: String) throws -> [String]
    /// A hidden layer of a document.
    func hiddenLayer(_ key: LayerKey) throws -> ServerLayer?
    /// All of them, also those without a document, in the order of their ids.
    func hiddenLayers() throws -> [HiddenLayer]
    /// When the layer was last deleted; nil when it never was.
    func deletion(of key: LayerKey) throws -> Timestamp?

    /// The record as the layer sees it: its own state, live or removed, else the base record beneath.
    func record(_ id: Record.ID, in layer: ServerLayer) throws -> ServerRecord?
    /// Live records, base records overlaid, in id order.
    func live(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [ServerRecord]
    /// The same one by one, where they lie, until `visit` has seen enough and returns false.
    func visitLive(in layer: ServerLayer, after id: Record.ID?, _ visit: (LiveRow) throws -> Bool) throws
    /// The same rows without what they say, for adding a layer up.
    func marks(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [RecordMark]
    /// Records whose newest revision lies after this one, live or removed, in revision order.
    func changed(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [ServerRecord]
    func departures(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [Departure]
    /// Live comments of a thread, base records overlaid, in id order.
    func thread(of root: Record.ID, in layer: ServerLayer) throws -> [ServerRecord]
    /// Records that were removed together with the one that got this revision.
    func cascade(of revision: Revision, in layer: ServerLayer) throws -> [ServerRecord]

    func attachment(_ id: AttachmentID, of document: String) throws -> StoredAttachment?
    /// All of a document, in the order of their names.
    func attachments(of document: String) throws -> [StoredAttachment]
    /// Attachments of all documents that were uploaded before this moment and that no record names, live, removed or of
    /// the PDF.
    func unnamedAttachments(before moment: Timestamp, limit: Int) throws -> [StoredAttachment]
    /// Whether any document has an attachment of this name.
    func isAttachmentKept(_ id: AttachmentID) throws -> Bool
    /// Live records of the layer that name the attachment, in id order.
    func records(naming id: AttachmentID, in layer: ServerLayer) throws -> [ServerRecord]
    /// Whether the user uploaded the attachment in this layer. All anonymous users (nil or empty) are one.
    func isUploaded(_ id: AttachmentID, by user: String?, in layer: ServerLayer) throws -> Bool

    func client(_ id: String, in layer: ServerLayer) throws -> StoredClient?
    func answer(_ n: Int64, to client: String, in layer: ServerLayer) throws -> StoredAnswer?
    func isRevoked(tokenID: String) throws -> Bool
    /// Those of these tokens that are revoked, in any order.
    func revoked(among tokenIDs: [String]) throws -> [String]
}

extension StoreReading {
    package func visitLive(
        in layer: ServerLayer, after id: Record.ID?, _ visit: (LiveRow) throws -> Bool
    ) throws {
        let step = 200
        var last = id
        while true {
            let records = try live(in: layer, after: last, limit: step)
            for record in records where try !record.withRow(visit) { return }
            guard records.count == step, let reached = records.last?.id else { return }
            last = reached
        }
    }

    /// All of a document, in the byte order of their names.
    package func layers(of document: String) throws -> [ServerLayer] {
        try layerNames(of: document).compactMap { try layer(LayerKey(document: document, name: $0)) }
    }

    package func revoked(among tokenIDs: [String]) throws -> [String] {
        try tokenIDs.filter { try isRevoked(tokenID: $0) }
    }
}

/// What a transaction may keep from others before there is a row of it, or to see that there is none.
package enum LockTarget: Hashable, Sendable {
    /// The document, all its layers, and that there is none of this id.
    case document(String)
    /// The bytes of this hash.
    case blob(String)
}

package protocol StoreWriting: StoreReading {
    /// Runs the body; when it throws, what it wrote is undone and the transaction goes on.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result
    /// Makes other writers wait who want to hold the same, on whichever server, until this transaction ends. Asked for
    /// before anything else, and before any layer is named. Naming a layer holds that layer.
    func lock(_ what: LockTarget) throws

    /// Adds the document or replaces the one with its id; its layers stay. Its base is used from now on, and that of a
    /// replaced document is unused.
    func put(_ document: ServerDocument) throws
    /// Begins a set of base records, which is unused until a document has it.
    func addBase(at moment: Timestamp) throws -> Int64
    /// Adds records to an unused set.
    func add(_ records: [Record], toBase base: Int64) throws
    /// Removes at most `limit` records of an unused set, and the set itself after the last one.
    ///
    /// - Returns: how many records there were; fewer than `limit`: nothing is left.
    func removeBase(_ base: Int64, limit: Int) throws -> Int
    /// Removes the document and its attachments, and takes its layers and its base out of use, noting when. Their rows
    /// stay for ``removeRows(ofLayer:limit:)`` and ``removeBase(_:limit:)``.
    func removeDocument(_ id: String, at moment: Timestamp) throws

    func put(_ attachment: StoredAttachment) throws
    /// Removes the attachment, and the note of who uploaded it in the document's layers.
    func removeAttachment(_ id: AttachmentID, of document: String) throws
    /// Notes that the user has the bytes of the attachment. The note goes with the attachment or with the layer.
    func addUpload(of id: AttachmentID, by user: String?, in layer: ServerLayer) throws

    func addLayer(_ key: LayerKey, generation: String) throws -> ServerLayer
    /// Gives the layer another key, which is free. Its id and all that is in it stay.
    func move(_ layer: ServerLayer, to key: LayerKey) throws
    /// Hides the layer and records when it was deleted; for a hidden layer nothing is recorded. Its rows stay until
    /// ``removeRows(ofLayer:limit:)``.
    func removeLayer(_ layer: ServerLayer, at moment: Timestamp) throws
    /// Removes at most `limit` rows of a layer that was taken out of sight, and the layer itself after the last one.
    ///
    /// - Returns: how many rows there were; fewer than `limit`: nothing is left.
    func removeRows(ofLayer id: Int64, limit: Int) throws -> Int
    func setHead(_ head: Revision, of layer: ServerLayer) throws
    /// Gives the layer another generation and forgets its clients: what they know of it is of another history.
    func renew(_ layer: ServerLayer, generation: String) throws
    func put(_ record: ServerRecord, in layer: ServerLayer) throws
    func add(_ departure: Departure, in layer: ServerLayer) throws
    /// Forgets removals and departures older than the moment and moves the horizon. Removed base records are kept:
    /// without their tombstone they would come back.
    func prune(_ layer: ServerLayer, before moment: Timestamp) throws

    func put(_ client: StoredClient, in layer: ServerLayer) throws
    func put(_ answer: StoredAnswer, to client: String, in layer: ServerLayer) throws
    func removeAnswers(upTo n: Int64, to client: String, in layer: ServerLayer) throws
    /// Keeps the revocation until the token would have ended by itself.
    func revoke(tokenID: String, until expiry: Timestamp) throws
    func removeRevocations(before moment: Timestamp) throws
}

extension StoreWriting {
    /// Where there is one writer at a time, nobody has to wait for more.
    package func lock(_ what: LockTarget) throws {}

    /// Keeps base records, in their order, for a document that is put in the same transaction.
    package func addBase(_ records: [Record]) throws -> Int64 {
        let base = try addBase(at: .startOfTime)
        try add(records, toBase: base)
        return base
    }
}

extension Timestamp {
    /// Older than anything: what is unused since then may be removed at once.
    package static let startOfTime = Timestamp(milliseconds: 0)
}
