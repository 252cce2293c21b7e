import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport

/// A client and a server with one annotation and its comments, for the tables of what is put aside.
final class AsideStage {
    /// What the user does; what cannot be done is left out.
    enum Action: Character, CaseIterable, Sendable {
        case write = "w"
        case delete = "d"
        case undo = "u"
        case reply = "r"
        case reword = "e"
        case deleteComment = "x"
    }

    struct Wrong: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }

    let server: SimulatedServer
    let layer: Layer
    private let grant: Grant
    private let anotherUser: Grant
    private var now = Timestamp(seconds: 1000)
    private var receipts: [EditReceipt] = []
    private var (texts, comments) = (0, 0)
    /// The text of each record as the user saw it last.
    private var seen: [Record.ID: String] = [:]
    /// What comes back with a restore, once the server has it.
    private var returning: Set<Record.ID> = []
    /// Whether the last undo cannot be refused.
    private var mustUndo = false
    /// Whether no other user writes.
    var isAlone = true
    /// Whether a deletion was undone after it was sent: an edit of what had gone along may be in conflict.
    var isLate = false
    /// Whether the root was deleted with its last comment.
    private var tookRoot = false

    private static let root = "r"
    private static let ids = [root, "c0", "c1", "c2", "c3", "c4"]
    private static let reason = "put aside: it answers 403"

    init() throws {
        server = try SimulatedServer(base: [])
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: "ana")
        layer = Layer(store: MemoryStore(LayerMetadata(identity: identity, clientID: "me")))
        func grant(_ user: String) -> Grant {
            Grant(
                documentID: "doc", userID: user, general: Set(GeneralPermission.allCases), collaboration: nil,
                creatorName: user, expiresAt: Timestamp(seconds: 9000))
        }
        (self.grant, anotherUser) = (grant("ana"), grant("bo"))
        let session = try server.session(self.grant, now)
        _ = try layer.accept(session, seen: nil, now: now, newClientID: "another")
        while let page = try layer.nextPage(epoch: session.epoch) {
            _ = try layer.take(try server.page(page, self.grant), for: page)
        }
    }

    // MARK: The user

    func act(_ actions: [Action]) throws {
        for action in actions {
            now = now + 1000
            do {
                if let receipt = try perform(action) { receipts.append(receipt) }
            } catch let error as EditError {
                guard action == .undo, isAlone, mustUndo else { continue }
                throw Wrong("undo: \(error)")
            }
            try look()
        }
    }

    private func perform(_ action: Action) throws -> EditReceipt? {
        switch action {
        case .write:
            guard try layer.record(Self.root) != nil else {
                guard texts == 0 else { return nil }
                return try layer.create(note(nextText()), id: Self.root, author: nil, at: now)
            }
            return try layer.update(Self.root, content: note(nextText()), at: now)
        case .delete: return try layer.delete(Self.root, at: now)
        case .undo:
            // As after a restart.
            guard let last = receipts.popLast().flatMap({ EditReceipt(json: $0.json) }) else { return nil }
            mustUndo = last.kind == .delete && last.id == Self.root
            _ = try layer.undo(last, at: now)
            let (text, before) = (try shown[last.id], texts([last.before].compactMap(\.self))[last.id])
            if last.kind == .delete { returning.formUnion(last.along) }
            guard text == before || !isAlone || last.kind != .delete else {
                throw Wrong("undo: \(text ?? "nothing"), not \(before ?? "nothing")")
            }
            if last.along.contains(Self.root) { tookRoot = false }
            return nil
        case .reply: return try layer.reply(to: Self.root, .plain(nextText()), id: nextID(), author: nil, at: now)
        case .reword:
            return try comment().map { try layer.reword($0, nextText(), at: now) }
        case .deleteComment:
            guard let comment = try comment() else { return nil }
            let receipt = try layer.delete(comment, at: now)
            if receipt.along.contains(Self.root) { tookRoot = true }
            return receipt
        }
    }

    /// Begins a thread: root and comment in one step.
    func beginThread() throws {
        let (root, comment) = try layer.beginThread(
            note(nextText()), id: Self.root, .plain(nextText()), commentID: nextID(), author: nil, at: now)
        receipts += [root, comment]
        try look()
    }

    /// Forgets what could be undone.
    func forget() { receipts = [] }

    private func nextText() -> String {
        texts += 1
        return "text \(texts)"
    }

    private func nextID() -> Record.ID {
        comments += 1
        return Self.ids[comments]
    }

    private func comment() throws -> Record.ID? { try layer.thread(under: Self.root).last?.id }

    private var shown: [Record.ID: String] {
        get throws { try texts(Self.ids.compactMap { try layer.record($0) }) }
    }

    private func texts(_ records: [Record]) -> [Record.ID: String] {
        Dictionary(uniqueKeysWithValues: records.map { ($0.id, Annotation($0).text) })
    }

    private func look() throws { seen = try shown }

    // MARK: The network

    func seal() throws -> PushRequest {
        guard let request = try layer.seal() else { throw Wrong("nothing is sent") }
        return request
    }

    /// The server stores the first changes of a request, and its answer is lost.
    func store(_ request: PushRequest, first count: Int) throws {
        guard count > 0 else { return }
        let some = PushRequest(
            clientID: request.clientID, acked: request.acked, cursor: nil,
            changes: Array(request.changes.prefix(count)))
        _ = try server.push(some, by: grant, at: now)
    }

    /// Something on the way refuses changes of these records, which are put aside; the others are sent.
    func refuse(_ ids: Set<Record.ID>, of request: PushRequest) throws {
        for change in request.changes {
            guard ids.contains(change.id) else {
                if let request = try layer.seal(maximum: 1) { try send(request) }
                continue
            }
            guard let filler = try layer.filler(of: change.n, clientID: request.clientID) else { continue }
            try send(filler)
        }
    }

    /// Sends until nothing is left to send.
    func send() throws {
        for _ in 0..<30 {
            guard let request = try layer.seal() else { return }
            try send(request)
        }
        throw Wrong("it does not come to rest")
    }

    private func send(_ request: PushRequest) throws {
        let answer = try server.push(request, by: grant, at: now)
        if request.isFiller {
            _ = try layer.take(filler: answer.results[0], because: Self.reason)
        } else if try layer.take(answer, to: request, newClientID: "another").startedAnew {
            throw Wrong("it starts anew")
        }
    }

    func pull() throws {
        guard let cursor = try layer.metadata().cursor else { throw Wrong("no cursor") }
        _ = try layer.take(try server.delta(since: cursor, grant))
    }

    // MARK: Another user

    /// Another user changes or deletes the root.
    func interfere(_ kind: ChangeKind) throws {
        let there = try server.page(Layer.NextPage(), anotherUser).records
        guard case .record(let record, let revision)? = there.first(where: { $0.id == Self.root }) else { return }
        let content = record.content.changing { $0["text"] = "theirs" }
        let change = Change(
            n: 1, kind: kind, id: Self.root, baseRevision: revision, group: nil,
            content: kind == .delete ? nil : content)
        let request = PushRequest(clientID: "bo", acked: 0, cursor: nil, changes: [change])
        let results = try server.push(request, by: anotherUser, at: now).results
        guard results.map(\.status) == [.applied] else { throw Wrong("the other user: \(results)") }
    }

    // MARK: Checks

    /// Nothing that the user saw is missing or different.
    func checkShown(_ step: String) throws {
        let shown = try shown
        guard shown != seen else { return }
        // What was deleted with its last comment is there again if that comment never arrived. Unsent comments outlive their
        // root, because the person may undo its deletion.
        let isDeleted = seen[Self.root] == nil
        let extra = shown.filter { id, _ in
            seen[id] == nil && (returning.contains(id) || (id == Self.root ? tookRoot : isDeleted))
        }
        guard shown.filter({ extra[$0.key] == nil }) == seen else {
            let kept = try layer.outbox().map { "\($0.kind) \($0.id): \($0.state)" }
            throw Wrong("\(step): shown \(shown), not \(seen); kept: \(kept)")
        }
    }

    /// Server, client and user agree, and nothing is left open.
    func checkEnd() throws {
        let kept = isLate ? try keptInConflicts() : []
        for id in kept { seen[id] = try shown[id] }
        try checkShown("in the end")
        // An edit of what went with its root, or with its last comment, is in conflict. So is one that an undo brings back, if its
        // record never reached the server.
        let left = try layer.outbox().filter {
            let isShown = $0.content.map(Annotation.text(of:)) == seen[$0.id] && $0.kind == .update
            return !($0.stage == .conflict && (isShown || kept.contains($0.id)))
                && !($0.stage == .conflict && seen[Self.root] == nil && ($0.id != Self.root || tookRoot))
        }
        guard left.isEmpty else { throw Wrong("left: \(left.map { "\($0.kind) \($0.id): \($0.state)" })") }
        let inConflict = try layer.outbox().map(\.id)
        let there = texts(try server.live(by: grant)).filter { !kept.contains($0.key) }
        guard try there == shown.filter({ !inConflict.contains($0.key) }) else {
            throw Wrong("the server has \(there), not \(try shown)")
        }
    }

    /// Returns the records whose last text is in a conflict.
    private func keptInConflicts() throws -> Set<Record.ID> {
        Set(
            try layer.conflicts().filter { $0.mine.map(Annotation.text(of:)) == seen[$0.recordID] }.map(\.recordID))
    }

    /// After another user's change: what the user wrote and the server never had is in a conflict.
    func checkNothingIsLost() throws {
        let left = try layer.outbox()
        guard left.allSatisfy({ $0.stage == .conflict || $0.stage == .refused }) else {
            throw Wrong("left: \(left.map { "\($0.kind) \($0.id): \($0.state)" })")
        }
        let conflicts = try layer.conflicts().compactMap { $0.mine.map(Annotation.text(of:)) }
        let lost = seen.values.filter { $0 != "theirs" && server.applied[$0] == nil && !conflicts.contains($0) }
        guard lost.isEmpty else { throw Wrong("lost: \(lost)") }
    }
}

extension Annotation {
    fileprivate static func text(of content: Content) -> String {
        Annotation(Record(id: "", content: content, createdBy: nil, updatedBy: nil, group: nil)).text
    }
}
