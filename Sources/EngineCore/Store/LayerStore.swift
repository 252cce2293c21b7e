package import Annotations
package import Authorization
package import SyncProtocol

/// The store of documents, layers and records. Every implementation passes the same test suite, the contract.
///
/// Calls block; the caller chooses the thread. A write is one transaction: durable when `write` returns, without effect
/// when its body throws.
package protocol LayerStore: Sendable {
    func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result
    func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result
}

/// A consistent read view of the store, valid only inside the body that receives it.
///
/// Record ids compare by their UTF-8 bytes, never by Unicode equivalence.
package protocol StoreReading {
    func document(_ id: String) throws -> ServerDocument?
    func documents(_ query: DocumentQuery) throws -> [ServerDocument]
    /// Returns how many documents match the query, ignoring its offset and limit.
    func documentCount(_ query: DocumentQuery) throws -> Int
    /// Returns whether the hash is that of a document's original or stripped file.
    func isPDFUsed(_ sha256: String) throws -> Bool
    /// Returns when a set of base records was begun, if no document uses it. ``Timestamp/startOfTime``: it is being
    /// removed.
    func unusedSince(_ base: Int64) throws -> Timestamp?
    /// Returns the sets of base records that no document uses and that were begun before `moment` or are being removed.
    func unusedBases(before moment: Timestamp) throws -> [Int64]

    /// Returns nil for a hidden layer.
    func layer(_ key: LayerKey) throws -> ServerLayer?
    /// Returns those of these layers that exist, in any order, at the cost of one query. Hidden layers do not.
    func layers(_ keys: [LayerKey]) throws -> [ServerLayer]
    /// Returns every layer except hidden ones.
    func layers() throws -> [LayerKey]
    /// Returns the names of layers that are not hidden, in byte order.
    func layerNames(of document: String) throws -> [String]
    /// Returns a hidden layer of a document.
    func hiddenLayer(_ key: LayerKey) throws -> ServerLayer?
    /// Returns all hidden layers, including those without a document, ordered by id.
    func hiddenLayers() throws -> [HiddenLayer]
    /// Returns when the layer, or the whole document (``LayerKey/whole(_:)``), was last deleted; nil if never. A note of
    /// a deletion stays, whatever is created under the name later, and its time never goes back.
    func deletion(of key: LayerKey) throws -> Timestamp?
    /// Returns when the layer and its document were last deleted.
    func deletions(of key: LayerKey) throws -> (layer: Timestamp?, document: Timestamp?)
    /// Returns the time by the clock of a database that several servers share, otherwise `local`: this server's time.
    func time(_ local: Timestamp) throws -> Timestamp

    /// Returns the record as the layer sees it: its own state, live or removed, otherwise the base record. Functions
    /// that return several records leave damaged rows out.
    ///
    /// - Throws: ``DamagedRow`` if its row is damaged.
    func record(_ id: Record.ID, in layer: ServerLayer) throws -> ServerRecord?
    /// Returns what decides who may see this record, without reading its content, so that a hidden record takes no
    /// longer than a missing one.
    func subject(of id: Record.ID, in layer: ServerLayer) throws -> Subject?
    /// Returns live records in id order; the layer's own records replace base records.
    func live(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [ServerRecord]
    /// Passes the same records to `visit` one by one, in place, until it returns false.
    ///
    /// - Parameter isVisible: selects records; nil for all. The databases do not read the contents of the others, so
    ///   that the time does not depend on them.
    func visitLive(
        in layer: ServerLayer, after id: Record.ID?, where isVisible: ((Subject) -> Bool)?,
        _ visit: (LiveRow) throws -> Bool) throws
    /// Returns the same rows without their content, for a digest.
    func marks(
        in layer: ServerLayer, after id: Record.ID?, limit: Int, where isVisible: ((Subject) -> Bool)?
    ) throws -> [RecordMark]
    /// Returns records whose newest revision is after this one, live or removed, in revision order.
    func changed(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [ServerRecord]
    func departures(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [Departure]
    /// Returns the live comments of a thread in id order; the layer's own records replace base records.
    func thread(of root: Record.ID, in layer: ServerLayer) throws -> [ServerRecord]
    /// Returns the thread's live comments without reading their content.
    func marks(ofThread root: Record.ID, in layer: ServerLayer) throws -> [RecordMark]
    /// Returns the records that were removed together with the one that got this revision.
    func cascade(of revision: Revision, in layer: ServerLayer) throws -> [ServerRecord]

    func attachment(_ id: AttachmentID, of document: String) throws -> StoredAttachment?
    /// Returns all attachments of a document, ordered by name.
    func attachments(of document: String) throws -> [StoredAttachment]
    /// Returns attachments, of any document, that were uploaded before `moment` and are named by no record, whether
    /// live, removed or from the PDF.
    func unnamedAttachments(before moment: Timestamp, limit: Int) throws -> [StoredAttachment]
    /// Returns whether any document has an attachment of this name.
    func isAttachmentKept(_ id: AttachmentID) throws -> Bool
    /// Returns the layer's live records that name the attachment, in id order.
    func marks(naming id: AttachmentID, in layer: ServerLayer) throws -> [RecordMark]
    /// Returns whether the user uploaded the attachment in this layer. All anonymous users (nil or empty) are one user.
    func isUploaded(_ id: AttachmentID, by user: String?, in layer: ServerLayer) throws -> Bool

    /// Returns the generations that the layer had before its store was restored, the oldest first; at most
    /// ``LineageEntry/maxCount`` of them, the newest.
    func restoredGenerations(of layer: ServerLayer) throws -> [LineageEntry]

    /// Returns whether a damaged row of the layer, or of the PDF's records, has been read since the start.
    func hasKnownDamage(in layer: ServerLayer) -> Bool

    func client(_ id: String, in layer: ServerLayer) throws -> StoredClient?
    func answer(_ n: Int64, to client: String, in layer: ServerLayer) throws -> StoredAnswer?
    func isRevoked(tokenID: String) throws -> Bool
    /// Returns those of these tokens that are revoked, in any order.
    func revoked(among tokenIDs: [String]) throws -> [String]
}

extension StoreReading {
    package func visitLive(
        in layer: ServerLayer, after id: Record.ID?, where isVisible: ((Subject) -> Bool)?,
        _ visit: (LiveRow) throws -> Bool
    ) throws {
        try visitPages(in: layer, after: id) { row in
            if let isVisible, try !isVisible(row.subject()) { return true }
            return try visit(row)
        }
    }

    /// Reads the layer's live records in pages and passes them to `visit` one by one, until it returns false.
    package func visitPages(in layer: ServerLayer, after id: Record.ID?, _ visit: (LiveRow) throws -> Bool) throws {
        let step = 200
        var last = id
        while true {
            let records = try live(in: layer, after: last, limit: step)
            for record in records {
                if try !record.withRow(visit) { return }
            }
            guard records.count == step, let reached = records.last?.id else { return }
            last = reached
        }
    }

    /// Returns all layers of a document that are not hidden, ordered by name in byte order.
    package func layers(of document: String) throws -> [ServerLayer] {
        try layerNames(of: document).compactMap { try layer(LayerKey(document: document, name: $0)) }
    }

    /// Returns the same layers without damaged ones.
    package func intactLayers(of document: String) throws -> [ServerLayer] {
        try layerNames(of: document).compactMap { name in
            do { return try layer(LayerKey(document: document, name: name)) } catch is DamagedRow { return nil }
        }
    }

    package func deletions(of key: LayerKey) throws -> (layer: Timestamp?, document: Timestamp?) {
        (layer: try deletion(of: key), document: try deletion(of: .whole(key.document)))
    }

    /// A store of one server has no clock of its own.
    package func time(_ local: Timestamp) throws -> Timestamp { local }

    package func hasKnownDamage(in layer: ServerLayer) -> Bool { false }

    package func revoked(among tokenIDs: [String]) throws -> [String] {
        try tokenIDs.filter { try isRevoked(tokenID: $0) }
    }
}

/// A lock on something that may have no row yet.
package enum LockTarget: Hashable, Sendable {
    /// The document, all its layers, and the absence of a document of this id.
    case document(String)
    /// The bytes of this hash.
    case blob(String)
}

package protocol StoreWriting: StoreReading {
    /// Runs the body; if it throws, rolls back what it wrote and continues the transaction.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result
    /// Blocks other writers that request the same lock, on any server, until this transaction ends. Call it before any
    /// other statement and before naming a layer. Naming a layer locks that layer.
    func lock(_ what: LockTarget) throws

    /// Adds the document or replaces the one with its id; its layers stay. Marks its base as used, and that of a
    /// replaced document as unused.
    func put(_ document: ServerDocument) throws
    /// Begins a set of base records, unused until a document uses it.
    func addBase(at moment: Timestamp) throws -> Int64
    /// Adds records to an unused set.
    func add(_ records: [Record], toBase base: Int64) throws
    /// Removes at most `limit` records of an unused set, and the set itself after the last one.
    ///
    /// - Returns: the number removed; fewer than `limit`: nothing remains.
    func removeBase(_ base: Int64, limit: Int) throws -> Int
    /// Removes the document, even if its row is damaged, and its attachments, takes its layers and its base out of use,
    /// and records when all of them were deleted. Their rows stay until ``removeRows(ofLayer:limit:)`` and
    /// ``removeBase(_:limit:)``.
    func removeDocument(_ id: String, at moment: Timestamp) throws
    /// Records that the layer, or the whole document, was deleted, without removing anything.
    func noteDeletion(of key: LayerKey, at moment: Timestamp) throws

    func put(_ attachment: StoredAttachment) throws
    /// Removes the attachment, and the lists of who uploaded it in the document's layers.
    func removeAttachment(_ id: AttachmentID, of document: String) throws
    /// Records that the user has the bytes of the attachment, until the attachment or the layer is removed.
    func addUpload(of id: AttachmentID, by user: String?, in layer: ServerLayer) throws

    func addLayer(_ key: LayerKey, generation: String) throws -> ServerLayer
    /// Gives the layer another, free key. Its id and content stay.
    func move(_ layer: ServerLayer, to key: LayerKey) throws
    /// Hides the layer and records when it was deleted, except for a layer that was hidden already. Its rows stay until
    /// ``removeRows(ofLayer:limit:)``.
    func removeLayer(_ layer: ServerLayer, at moment: Timestamp) throws
    /// Removes at most `limit` rows of a removed layer, and the layer itself after the last one.
    ///
    /// - Returns: the number removed; fewer than `limit`: nothing remains.
    func removeRows(ofLayer id: Int64, limit: Int) throws -> Int
    func setHead(_ head: Revision, of layer: ServerLayer) throws
    /// Gives the layer another generation, remembers the present one and its head, and forgets the layer's clients, whose
    /// state belongs to another history.
    func renew(_ layer: ServerLayer, generation: String, at moment: Timestamp) throws
    func put(_ record: ServerRecord, in layer: ServerLayer) throws
    func add(_ departure: Departure, in layer: ServerLayer) throws
    /// Deletes removals and departures older than `moment` and moves the horizon. Tombstones of base records stay:
    /// without them the base records would reappear. So do those of roots with live comments.
    func prune(_ layer: ServerLayer, before moment: Timestamp) throws

    func put(_ client: StoredClient, in layer: ServerLayer) throws
    func put(_ answer: StoredAnswer, to client: String, in layer: ServerLayer) throws
    func removeAnswers(upTo n: Int64, to client: String, in layer: ServerLayer) throws
    /// Stores the revocation until the token would have expired.
    func revoke(tokenID: String, until expiry: Timestamp) throws
    func removeRevocations(before moment: Timestamp) throws
}

extension StoreWriting {
    /// A store with a single writer needs no further locks.
    package func lock(_ what: LockTarget) throws {}

    /// Stores base records in order, for a document that is stored in the same transaction.
    package func addBase(_ records: [Record]) throws -> Int64 {
        let base = try addBase(at: .startOfTime)
        try add(records, toBase: base)
        return base
    }
}

extension Timestamp {
    /// Earlier than any other time: a set unused since then may be removed at once.
    package static let startOfTime = Timestamp(milliseconds: 0)
}
