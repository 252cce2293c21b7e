import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport

/// A layer opened before, with a few records from the server.
struct LayerFixture {
    let layer: Layer
    private let disk: MemoryStore
    var now = Timestamp(seconds: 1000)

    init(
        user: String? = "ana", general: Set<GeneralPermission> = Set(GeneralPermission.allCases),
        collaboration: [Permission]? = nil, records: [StoredRecord] = [stored("1", "one", 0), stored("2", "two", 3)]
    ) throws {
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: user)
        disk = MemoryStore(LayerMetadata(identity: identity, clientID: "me"))
        layer = Layer(store: disk)
        try accept(grant(user: user, general: general, collaboration: collaboration))
        try take(records)
    }

    func grant(
        user: String? = "ana", general: Set<GeneralPermission> = Set(GeneralPermission.allCases),
        collaboration: [Permission]? = nil, creatorName: String? = "Ana"
    ) -> Grant {
        Grant(
            documentID: "doc", userID: user, general: general, collaboration: collaboration, creatorName: creatorName,
            expiresAt: Timestamp(seconds: 9000))
    }

    @discardableResult
    func accept(
        _ grant: Grant, generation: String = "g", epoch: String? = nil, head: Revision = 3, version: String? = nil,
        pdf: String = "pdf", clock: Timestamp? = nil
    ) throws -> Layer.Accepted {
        try layer.accept(
            SessionAnswer(
                grant: grant, now: clock ?? now, generation: generation,
                epoch: epoch ?? "e\(generation == "g" ? "" : generation)", head: head, documentVersion: version,
                pdfSHA256: pdf, pdfBytes: 1, title: "T"),
            seen: try layer.metadata().cursor?.revision, now: now, newClientID: "me-\(generation)")
    }

    /// Applies a snapshot, by default at revision 3.
    @discardableResult
    func take(_ records: [StoredRecord], epoch: String = "e", at revision: Revision = 3) throws -> LayerChanges {
        guard let page = try layer.nextPage(epoch: epoch) else { throw Missing() }
        let items = records.map { SyncItem.record($0.record, $0.revision) }
        return try layer.take(SnapshotPage(epoch: epoch, at: revision, records: items, next: nil), for: page)
    }

    /// Pushes, and applies a response with these statuses in order.
    @discardableResult
    func push(_ statuses: (ChangeResult.Status, Revision?)...) throws -> (PushRequest, LayerChanges) {
        guard let request = try layer.seal() else { throw Missing() }
        let results = zip(request.changes, statuses).map {
            ChangeResult(n: $0.n, status: $1.0, revision: $1.1, reason: "because")
        }
        return (request, try layer.take(PushAnswer(results: results, delta: nil), to: request, newClientID: "new"))
    }

    /// Applies a response in which the server applied the single change of a request.
    func answer(_ request: PushRequest, revision: Revision) throws {
        let result = ChangeResult(n: request.changes[0].n, status: .applied, revision: revision)
        _ = try layer.take(PushAnswer(results: [result], delta: nil), to: request, newClientID: "new")
    }

    @discardableResult
    func pull(_ items: SyncItem..., upTo revision: Revision) throws -> LayerChanges {
        try layer.take(Delta(epoch: "e", changes: items, upTo: revision, more: false))
    }

    /// Simulates a power loss, which drops unsynced writes.
    func losePower() { disk.losePower() }

    func text(_ id: Record.ID) throws -> String? { try layer.record(id).map { Annotation($0).text } }
    func delivery(_ id: Record.ID) throws -> DeliveryState? { try layer.row(id)?.delivery }

    struct Missing: Error {}
}

func note(_ text: String) -> Content {
    var object = JSONObject()
    object["v"] = 1
    object["type"] = "pspdfkit/note"
    object["pageIndex"] = 0
    object["bbox"] = [1, 2, 3, 4]
    object["text"] = .string(text)
    return Content(object)
}

func comment(_ text: String, under root: String) -> Content {
    note(text).changing {
        $0["type"] = "pspdfkit/comment"
        $0["rootId"] = .string(root)
    }
}

func stored(_ id: String, _ text: String, _ revision: Revision, by user: String? = nil, group: String? = nil)
    -> StoredRecord
{
    StoredRecord(
        Record(id: id, content: note(text), createdBy: user, updatedBy: user, group: group), revision)
}

func item(_ id: String, _ text: String, _ revision: Revision, by user: String? = "bo") -> SyncItem {
    let record = stored(id, text, revision, by: user)
    return .record(record.record, revision)
}
