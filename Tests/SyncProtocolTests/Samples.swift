import Annotations
import Authorization
import SyncProtocol

/// One message of each kind and shape, named as in `Resources/vectors/messages.json`.
struct Sample: Sendable, CustomStringConvertible {
    var name: String
    var text: String
    /// Decodes the bytes as this message and encodes the result.
    var reencode: @Sendable ([UInt8]) throws -> String

    init(_ name: String, _ message: some WireMessage) {
        self.name = name
        text = String(decoding: message.bytes, as: UTF8.self)
        reencode = Self.decoder(like: message)
    }

    private static func decoder<M: WireMessage>(like _: M) -> @Sendable ([UInt8]) throws -> String {
        { String(decoding: try M(bytes: $0).bytes, as: UTF8.self) }
    }

    var description: String { name }

    /// The digest of records `12` at revision 0 and `é` at revision 7.
    private static let digest: ViewDigest = {
        var digest = ViewDigest()
        digest.add("\u{E9}", 7)
        digest.add("12", 0)
        return digest
    }()

    private static let refusedToken: TokenVerdict = {
        var verdict = TokenVerdict(
            refusal: ErrorAnswer(.tokenExpired, "the token has expired"), now: Timestamp(milliseconds: 5),
            key: TokenVerdict.Key(algorithm: "ES256", sha256: "9f86d0"))
        verdict.grant = session.grant
        verdict.notBefore = Timestamp(milliseconds: 1)
        verdict.issuedAt = Timestamp(milliseconds: 2)
        verdict.tokenID = "t-1"
        verdict.warnings = ["\u{E9}"]
        return verdict
    }()

    static let all: [Sample] = [
        Sample("session", session),
        Sample("token: accepted", TokenVerdict(now: Timestamp(milliseconds: 5))),
        Sample("token: refused", refusedToken),
        Sample(
            "session, read-only and anonymous",
            SessionAnswer(
                grant: Grant(
                    documentID: "contract", general: [.readDocument], expiresAt: Timestamp(seconds: 4_000_000_000)),
                now: Timestamp(milliseconds: 1), generation: "g", epoch: "e", head: 0, pdfSHA256: "", pdfBytes: 0,
                title: "")),
        Sample(
            "snapshot", SnapshotPage(epoch: "g1-v1", at: 7, records: [note, .record(base, 0)], next: "01HV60")),
        Sample("snapshot, last page", SnapshotPage(epoch: "g1-v1", at: 7, records: [], next: nil)),
        Sample("delta", Delta(epoch: "g1-v1", changes: [note, gone], upTo: 9, more: true)),
        Sample("delta, nothing new", Delta(epoch: "g1-v1", changes: [], upTo: 9, more: false)),
        Sample("digest", DigestAnswer(epoch: "g1-v1", upTo: 9, digest)),
        Sample(
            "push",
            PushRequest(
                clientID: "c_1-A", acked: 4, cursor: Cursor(epoch: "g1-v1", revision: 7),
                changes: [
                    Change(n: 5, kind: .create, id: "01HV61", baseRevision: 0, group: "law", content: content),
                    Change(n: 6, kind: .update, id: "218", baseRevision: 3, content: content),
                    Change(n: 7, kind: .delete, id: "01HV60", baseRevision: 6, threadRevision: 7),
                    Change(n: 8, kind: .restore, id: "01HV60", baseRevision: 8),
                ])),
        Sample(
            "push, groups left out",
            PushRequest(
                clientID: "c", acked: 0, cursor: nil,
                changes: [
                    Change(n: 1, kind: .create, id: "a", baseRevision: 0, group: nil, content: content),
                    Change(n: 2, kind: .update, id: "a", baseRevision: 1, group: nil, content: content),
                    Change(n: 3, kind: .update, id: "a", baseRevision: 2, group: .some(nil), content: content),
                ])),
        Sample(
            "push, contents not returned",
            PushRequest(
                clientID: "c", acked: 0, cursor: Cursor(epoch: "g1-v1", revision: 7),
                changes: [Change(n: 1, kind: .create, id: "a", baseRevision: 0, content: content)], omitsSent: true)),
        Sample("push, nothing to hear", PushRequest(clientID: "c", acked: 0, cursor: nil, changes: [])),
        Sample(
            "push answer",
            PushAnswer(
                results: [
                    ChangeResult(n: 5, status: .applied, revision: 8),
                    ChangeResult(n: 6, status: .conflict, item: note),
                    ChangeResult(n: 7, status: .conflict, item: gone),
                    ChangeResult(n: 8, status: .denied, reason: "needs annotations:delete:self"),
                    ChangeResult(n: 9, status: .invalid, reason: #""v" must be 1 or 2"#),
                    ChangeResult(n: 10, status: .gone), ChangeResult(n: 11, status: .gap),
                    ChangeResult(n: 12, status: .mismatch),
                ], delta: Delta(epoch: "g1-v1", changes: [note], upTo: 8, more: false))),
        Sample("push answer, start over", PushAnswer(results: [], delta: nil, reset: true)),
        Sample("change event", change),
        Sample(
            "change event, omitted",
            ChangeEvent(epoch: "g1-v1", revision: 9, previous: 8, changes: [], isOmitted: true)),
        Sample("session event: open", SessionEvent(.open)),
        Sample("session event: expiring", SessionEvent(.expiring, at: Timestamp(seconds: 4_000_000_000))),
        Sample("session event: lost", SessionEvent(.lost, reason: "layer_deleted")),
        Sample(
            "presence",
            PresenceSign(
                session: "s-1",
                whereabouts: Location(
                    pageIndex: 3,
                    selection: [PageArea(pageIndex: 3, rects: [rect, rect]), PageArea(pageIndex: 4, rects: [])],
                    record: "01HV60"), isPresenting: true)),
        Sample("presence, nowhere in particular", PresenceSign(session: "s")),
        Sample("presence, gone", PresenceSign(session: "s", hasLeft: true)),
        Sample("presence answer", PresenceAnswer(id: "n1-4", presenter: "n1-4")),
        Sample("presence answer, gone", PresenceAnswer(id: nil, presenter: nil)),
        Sample("presence event: all", PresenceEvent(isComplete: true, people: [person, stranger])),
        Sample("presence event: some left", PresenceEvent(left: ["n1-4", "n2-1"])),
        Sample("poll answer", PollAnswer(Delta(epoch: "g1-v1", changes: [note], upTo: 9, more: false))),
        Sample(
            "poll answer with people",
            PollAnswer(
                Delta(epoch: "g1-v1", changes: [], upTo: 9, more: false),
                presence: PresenceList(version: "n1-17", people: [person]))),
        Sample("error", ErrorAnswer(.tokenExpired, "the token ended at 15:05")),
    ]

    static let content = Content(checked: #"{"v":2,"type":"pspdfkit/note","opacity":1.50,"text":"é\n\u0001"}"#)
    static let base = Record(id: "218", content: Content(checked: #"{"v":1,"pdfObjectId":218}"#))
    static let note = SyncItem.record(
        Record(id: "01HV60", content: content, createdBy: "ana", updatedBy: "ben", group: "law"), 6)
    static let gone = SyncItem.removed("01HV59", 9)
    static let rect = Rect(left: 72, top: 100.5, width: 200, height: 12)
    static let person = PresentPerson(
        id: "n1-4", userID: "ana", name: "Ana \"A\"",
        whereabouts: Location(pageIndex: 3, selection: [PageArea(pageIndex: 3, rects: [rect])], record: "01HV60"),
        isPresenting: true)
    static let stranger = PresentPerson(id: "n2-1", userID: nil, name: nil)
    static let change = ChangeEvent(epoch: "g1-v1", revision: 9, previous: 7, changes: [note, gone])
    static let session = SessionAnswer(
        grant: Grant(
            documentID: "contract", layer: "review", userID: "ana",
            collaboration: [Permission(.annotations, .view, .all), Permission(.comments, .reply, .group(nil))],
            defaultGroup: "law", creatorName: "Ana", expiresAt: Timestamp(seconds: 4_000_000_000)),
        now: Timestamp(milliseconds: 1_780_107_601_313), generation: "g1", epoch: "g1-v1", head: 9,
        lineage: [
            LineageEntry(
                generation: nil, head: 0, at: Timestamp(milliseconds: 1_779_000_000_000), ending: .recreated),
            LineageEntry(
                generation: "g0", head: 5, at: Timestamp(milliseconds: 1_780_000_000_000), ending: .restored),
        ],
        documentVersion: "5f2c90ab71e3d804",
        pdfSHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", pdfBytes: 120_332,
        title: "Lease \"2026\"",
        limits: ServerLimits(recordBytes: 1, batchChanges: 2, batchBytes: 3, pageRecords: 4, attachmentBytes: 5),
        pageCount: 3,
        pageRuns: [PageRun(count: 2, width: 595.276, height: 842), PageRun(count: 1, width: 842, height: 595)])
}
