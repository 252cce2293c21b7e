import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport

/// The server's core and memory store behind function calls, with its open streams.
final class SimulatedServer {
    let store = MemoryLayerStore()
    private(set) var fanout = EventBroadcaster(frames: 6, bytes: 1 << 20)
    private var random = SystemRandomNumberGenerator()
    /// Every text that became a record's text, and how often.
    private(set) var applied: [String: Int] = [:]
    private var texts: [Record.ID: String] = [:]
    /// Expired tokens, as `client-number`.
    var expired: Set<String> = []

    init(base: [Record]) throws {
        try store.write { store in
            let base = try store.addBase(base)
            try store.put(
                ServerDocument(
                    id: "doc", title: "Title", pdfSHA256: String(repeating: "a", count: 64), pdfBytes: 10,
                    createdAt: Timestamp(seconds: 0), base: base, pages: [.init(width: 600, height: 800)]))
        }
    }

    func answer(
        _ request: SyncRequest, by grant: Grant, token: String, at now: Timestamp
    ) throws -> Result<SyncAnswer, SyncFailure> {
        if expired.contains(token) { return .failure(.token(.expired)) }
        do {
            switch request.kind {
            case .session: return .success(.session(try session(grant, now)))
            case .push(let push): return .success(.push(try take(push, grant, now)))
            case .pull(let cursor):
                return .success(
                    .delta(try view(grant) { try $0.delta(since: cursor, limit: 3) }))
            case .page(let page):
                return .success(
                    .page(
                        try view(grant) {
                            try $0.page(after: page.after, at: page.at, epoch: page.epoch, limit: 4)
                        }))
            case .upload: return .success(.uploaded)
            case .presence: return .success(.presence(PresenceAnswer(id: nil, presenter: nil)))
            case .digest(let epoch): return .success(.digest(try view(grant) { try $0.digest(epoch: epoch) }))
            }
        } catch let refusal as APIError {
            switch refusal.reason {
            case .epochChanged: return .failure(.epochChanged)
            case .insufficientScope: return .failure(.forbidden(refusal.description))
            case .clientIDTaken: return .failure(.clientIDTaken)
            default: return .failure(.lost(refusal.description))
            }
        }
    }

    func live(by grant: Grant) throws -> [Record] {
        try view(grant) { try $0.page(after: nil, limit: 10_000) }.records.compactMap {
            if case .record(let record, _) = $0 { record } else { nil }
        }
    }

    /// Opens a stream: missed events since the cursor come first, then the open event.
    func listen(from cursor: Cursor, by grant: Grant) throws -> (EventBroadcaster.ListenerID, [LiveEvent])? {
        guard let layer = try layer(grant) else { return nil }
        let id = fanout.add(layer, scope: grant.viewScope, tokenID: nil)
        var events: [LiveEvent] = []
        var cursor = cursor
        do {
            while true {
                let delta = try view(grant) { [cursor] in try $0.delta(since: cursor, limit: 2) }
                events.append(
                    .change(
                        ChangeEvent(
                            epoch: delta.epoch, revision: delta.upTo, previous: cursor.revision,
                            changes: delta.changes)))
                cursor.revision = delta.upTo
                if !delta.more { break }
            }
        } catch is APIError { events = [.session(SessionEvent(.behind))] }
        return (id, events + [.session(SessionEvent(.open))])
    }

    func takeEvents(_ id: EventBroadcaster.ListenerID) throws -> [LiveEvent] {
        let delivery = fanout.take(id)
        var parser = ServerSentEventParser()
        let events = try delivery.frames.flatMap { try parser.feed($0.bytes) }
        return events + (delivery.end.map { [.session($0)] } ?? [])
    }

    func close(_ id: EventBroadcaster.ListenerID) { fanout.remove(id) }

    private func layer(_ grant: Grant) throws -> EngineCore.ServerLayer? {
        try store.read { try Layers.find(grant, issuedAt: nil, in: $0) }
    }

    private func view<T: Sendable>(_ grant: Grant, _ body: (LayerView) throws -> T) throws -> T {
        let layer = try open(grant)
        return try store.read { try body(LayerView(layer, scope: grant.viewScope, in: $0)) }
    }

    private func open(_ grant: Grant) throws -> EngineCore.ServerLayer {
        if let layer = try layer(grant) { return layer }
        return try store.write { try Layers.open(grant, issuedAt: nil, in: $0, using: &random) }
    }

    func session(_ grant: Grant, _ now: Timestamp) throws -> SessionAnswer {
        let layer = try open(grant)
        return SessionAnswer(
            grant: grant, now: now + 5000, generation: layer.generation, epoch: layer.epoch(for: grant.viewScope),
            head: layer.head, pdfSHA256: String(repeating: "a", count: 64), pdfBytes: 10, title: "Title",
            limits: ServerLimits(batchChanges: 5))
    }

    func page(_ page: Layer.NextPage, _ grant: Grant) throws -> SnapshotPage {
        try view(grant) { try $0.page(after: page.after, at: page.at, epoch: page.epoch, limit: 4) }
    }

    func delta(since cursor: Cursor, _ grant: Grant) throws -> Delta {
        try view(grant) { try $0.delta(since: cursor, limit: 100) }
    }

    func push(_ push: PushRequest, by grant: Grant, at now: Timestamp) throws -> PushAnswer {
        try take(push, grant, now)
    }

    /// Applies the effect of a restore from a backup on every layer.
    func restore() throws { try store.write { try Layers.renew(in: $0, at: .startOfTime, using: &random) } }

    func prune(by grant: Grant, before moment: Timestamp) throws {
        let layer = try open(grant)
        try store.write { try $0.prune(layer, before: moment) }
    }

    private func take(_ push: PushRequest, _ grant: Grant, _ now: Timestamp) throws -> PushAnswer {
        let layer = try open(grant)
        let (answer, commit) = try store.write { store in
            let done = try PushProcessor(grant: grant, forgottenAtOnce: 1).perform(push, on: layer, in: store, now: now)
            return (done.answer, done.commit)
        }
        // A restore does not count as a second write.
        for record in commit.records where record.isLive {
            let text = Annotation(record.record).text
            if texts.updateValue(text, forKey: record.id) != text { applied[text, default: 0] += 1 }
        }
        _ = fanout.publish(commit)
        return answer
    }
}
