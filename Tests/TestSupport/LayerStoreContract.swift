import Annotations
import Authorization
package import EngineCore
import SyncProtocol

/// The contract of every layer store, as steps that throw at the first violation. The tests of each implementation run
/// all of ``steps``, each on a new store.
package struct LayerStoreContract: Sendable {
    package struct Broken: Error, CustomStringConvertible {
        package var description: String
    }

    package struct Step: Sendable, CustomStringConvertible {
        package var description: String
        package var run: @Sendable (any LayerStore) throws -> Void
    }

    package static let steps: [Step] = [
        Step(description: "documents are read back unchanged, by the bytes of their ids", run: keepsDocuments),
        Step(description: "documents are listed in order, filtered and counted", run: listsDocuments),
        Step(description: "a transaction that throws leaves nothing behind", run: rollsBack),
        Step(description: "a savepoint that throws rolls back only its own part", run: takesBackSavepoints),
        Step(description: "layers have a number that is never reused", run: keepsLayers),
        Step(description: "a layer is removed with its contents", run: removesLayers),
        Step(description: "a hidden layer is found only by its own query until it is moved", run: hidesLayers),
        Step(description: "the rows of a deleted layer are removed in pieces", run: removesRowsInPieces),
        Step(description: "base records are added in pieces, unused until a document has them", run: keepsBases),
        Step(description: "a renewed layer keeps its records and forgets its clients", run: renewsLayers),
        Step(description: "a document is removed with its layers and its base", run: removesDocuments),
        Step(description: "deletions of layers and documents are remembered", run: remembersDeletions),
        Step(description: "a store has one clock", run: tellsTheTime),
        Step(description: "base records are visible until they are overwritten", run: overlaysBase),
        Step(description: "records are read back unchanged", run: keepsRecords),
        Step(description: "live records are read page by page, in byte order", run: pagesRecords),
        Step(description: "own records and those of the PDF are merged in every combination", run: mergesRecords),
        Step(description: "changes are listed in revision order, the latest of each record", run: listsChanges),
        Step(description: "departures are listed in revision order", run: keepsDepartures),
        Step(description: "a thread is the live comments of one root", run: findsThreads),
        Step(description: "a cascade is found by the revision of its cause", run: findsCascades),
        Step(description: "old tombstones are pruned and move the horizon; those of base records stay", run: prunes),
        Step(description: "an annotation is marked as the root of a thread", run: keepsThreadRoots),
        Step(description: "the tombstone of a root stays as long as its comments", run: keepsTombstonesOfRoots),
        Step(description: "an edit leaves what says who created a record, and when", run: keepsOrigins),
        Step(description: "answers are kept until they are acknowledged", run: keepsAnswers),
        Step(description: "attachments belong to a document and are removed with it", run: keepsAttachments),
        Step(description: "attachments that a record names are found, and those that none names", run: findsNamers),
        Step(description: "attachments that a record of the PDF names are found too", run: findsNamersOfTheBase),
        Step(description: "uploads belong to a user and a layer, and end with the attachment", run: keepsUploads),
        Step(description: "revocations are kept until they expire", run: keepsRevocations),
    ]

    static func equal<T: Equatable>(_ found: T, _ wanted: T, _ what: String) throws {
        guard found == wanted else { throw Broken(description: "\(what): \(found) is not \(wanted)") }
    }

    // MARK: Parts of the steps

    static let now = Timestamp(seconds: 1_000_000)
    static let key = LayerKey(document: "doc", name: "review")

    static func document(
        _ id: String, title: String = "Title", at time: Int64 = 0, base: Int64 = 0
    ) -> ServerDocument {
        ServerDocument(
            id: id, title: title, pdfSHA256: "hash of " + id, pdfBytes: 1 << 40, createdAt: now + time, base: base,
            pages: [ServerDocument.Page(width: 612, height: 792.5), ServerDocument.Page(width: 0.25, height: 1e6)])
    }

    static func record(
        _ id: String, _ revision: Revision, by user: String? = "ana", group: String? = nil, root: String? = nil,
        removal: ServerRecord.Removal? = nil
    ) -> ServerRecord {
        ServerRecord(
            Record(
                id: id, content: Content(checked: #"{"text":"\#(id) 1.50"}"#), createdBy: user, updatedBy: "bo",
                group: group),
            revision: revision, contentType: root == nil ? .annotations : .comments, rootID: root,
            run: ServerRecord.Run(client: "c", start: revision - 1), removal: removal)
    }

    static func removal(at time: Timestamp = now, cascade: Revision? = nil) -> ServerRecord.Removal {
        ServerRecord.Removal(by: "ana", client: "c", cascade: cascade, at: time)
    }

    /// Creates the document and its layer, and returns the layer.
    static func layer(_ store: any StoreWriting, base: [Record] = []) throws -> ServerLayer {
        let base = try store.addBase(base)
        try store.put(document("doc", base: base))
        return try store.addLayer(key, generation: "g")
    }

    static func base(_ id: String) -> Record {
        Record(id: id, content: Content(checked: #"{"type":"pspdfkit/note","text":"of the PDF"}"#))
    }

    struct Stop: Error {}
}
