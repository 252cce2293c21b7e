import Annotations
import Authorization
import EngineCore
import SyncProtocol
import TestSupport

/// One layer in memory: applies the same changes in the same order, and compares answers and records.
struct Model {
    private enum Step {
        case push(Client, Int)
        case bulk([String])
    }

    /// A step's place in its layer: after this revision; a step without a write comes after those with one.
    private struct Place: Comparable {
        var revision: Revision
        var wroteNothing: Bool
        var index: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.revision, one.wroteNothing ? 1 : 0, one.index) < (
                other.revision, other.wroteNothing ? 1 : 0, other.index
            )
        }
    }

    /// What the server holds in the end.
    struct Found {
        var head: Revision
        var records: [String: SyncItem]
    }

    private let store = MemoryLayerStore()
    private let key: LayerKey
    private let moment = Timestamp(seconds: 1)

    init(document: String, layer: String, start: LayerStart) throws {
        key = LayerKey(document: document, name: layer)
        let key = key
        try store.write { store in
            try store.put(
                ServerDocument(
                    id: document, title: "", pdfSHA256: "", pdfBytes: 0, createdAt: Timestamp(seconds: 0),
                    base: try store.addBase([]), pages: [.init(width: 612, height: 792)]))
            _ = try store.addLayer(key, generation: start.generation)
        }
    }

    /// Applies the backend's creates.
    func create(_ ids: [String]) throws {
        try store.write { store in
            guard let layer = try store.layer(key) else { throw Failure("the model has no layer") }
            var writer = BackendWriter(layer, in: store, now: moment)
            for id in ids { try writer.create(id, .plainNote(id), user: "backend", group: nil) }
        }
    }

    /// Replays all answered steps, in the order of the revisions that the answers name.
    ///
    /// - Parameter backend: The backend's steps and their outcomes.
    func check(_ clients: [Client], backend: [(step: BackendStep, outcome: Backend.Outcome)], found: Found) throws {
        var steps: [(place: Place, step: Step)] = []
        for client in clients { steps += Self.places(client).map { ($0.0, .push(client, $0.1)) } }
        for (step, outcome) in backend {
            guard case .create(let ids, key.name) = step else { continue }
            let revisions = ids.compactMap { found.records[$0]?.revision }
            guard revisions.count == ids.count || revisions.isEmpty && outcome == .unknown else {
                throw Failure(
                    "\(ids.count - revisions.count) of \(ids.count) annotations of the backend are lost in \(key.name)")
            }
            if let first = revisions.min() {
                steps.append((Place(revision: first, wroteNothing: false, index: 0), .bulk(ids)))
            }
        }
        for (_, step) in steps.sorted(by: { $0.place < $1.place }) {
            switch step {
            case .bulk(let ids): try create(ids)
            case .push(let client, let index): try perform(client, index)
            }
        }
        try compare(found)
    }

    private static func places(_ client: Client) -> [(Place, Int)] {
        var last = Place(revision: 0, wroteNothing: true, index: 0)
        return client.done.enumerated().map { index, push in
            let revisions = push.answer.results.filter { $0.status == .applied }.compactMap(\.revision)
            if let first = revisions.min() {
                last = Place(revision: first, wroteNothing: false, index: index)
            } else {
                let reach = push.answer.delta.map { $0.more ? 0 : $0.upTo } ?? 0
                last = Place(revision: max(reach, last.revision), wroteNothing: true, index: index)
            }
            return (last, index)
        }
    }

    private func perform(_ client: Client, _ index: Int) throws {
        let push = client.done[index]
        let grant = Grant(
            documentID: key.document, layer: key.name, userID: client.plan.user, creatorName: client.plan.user,
            expiresAt: Timestamp(seconds: 4_000_000_000))
        let answer = try store.write { store in
            guard let layer = try store.layer(key) else { throw Failure("the model has no layer") }
            return try PushProcessor(grant: grant).perform(push.request, on: layer, in: store, now: moment).answer
        }
        for (wanted, got) in zip(answer.results, push.answer.results) where wanted != got {
            throw Failure(
                """
                push \(index) of \(client.plan.name) in \(key.name) has an answer other than the model's:
                model:  \(wanted)
                server: \(got)
                """)
        }
        // A stored answer includes later changes.
        guard !push.wasRepeated else { return }
        let (wanted, got) = (answer.delta, push.answer.delta)
        guard wanted?.changes == got?.changes, wanted?.upTo == got?.upTo, wanted?.more == got?.more,
            answer.reset == push.answer.reset
        else {
            throw Failure(
                """
                push \(index) of \(client.plan.name) in \(key.name) returns changes other than the model's:
                model:  up to \(wanted?.upTo ?? -1), \(wanted?.changes.map(\.id) ?? [])
                server: up to \(got?.upTo ?? -1), \(got?.changes.map(\.id) ?? [])
                """)
        }
    }

    private func compare(_ found: Found) throws {
        let (head, rows) = try store.read { store in
            guard let layer = try store.layer(key) else { throw Failure("the model has no layer") }
            return (layer.head, try store.live(in: layer, after: nil, limit: .max))
        }
        var problems: [String] = []
        if head != found.head { problems.append("revision \(found.head) instead of \(head)") }
        let wanted = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, SyncItem.record($0.record, $0.revision)) })
        for id in Set(wanted.keys).union(found.records.keys).sorted() where wanted[id] != found.records[id] {
            problems.append(
                "\(id): \(found.records[id].map { "\($0)" } ?? "nothing") instead of \(wanted[id].map { "\($0)" } ?? "nothing")"
            )
        }
        guard problems.isEmpty else {
            throw Failure("\(key.name) differs from the model: " + problems.prefix(10).joined(separator: "\n"))
        }
    }
}
