import Annotations
import Authorization
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// In random histories of several people on one layer, every view that follows deltas or events ends with the same
/// state as a fresh snapshot, and no view ever receives what it may not see.
@Suite("Convergence") struct ConvergenceTests {
    /// One person's copy of the layer, limited to their view.
    private struct Copy {
        var grant: Grant
        var client: String
        var rows: [String: SyncItem] = [:]
        var cursor: Revision = 0
        var n: Int64 = 0
        var sent: [Change] = []

        mutating func take(_ items: [SyncItem], upTo: Revision) {
            for item in items {
                if let there = rows[item.id], there.revision > item.revision { continue }
                rows[item.id] = item
            }
            cursor = max(cursor, upTo)
        }

        /// The live records by id.
        var live: [String: SyncItem] {
            rows.filter { if case .record = $0.value { true } else { false } }
        }
    }

    private static let groups = ["red", "blue", nil]
    private static let ids = (0..<8).map { "r\($0)" } + ["7", "8"]

    private static let people: [Grant] = [
        World.grant("ana"),
        World.grant(
            "bo", ["annotations:view:group=red", "comments:view:all", "annotations:edit:all", "comments:reply:all"]),
        World.grant(
            "cy",
            [
                "annotations:view:self", "annotations:view:group=", "annotations:edit:self", "annotations:delete:self",
                "annotations:set-group:all", "comments:view:group=blue",
            ], group: "blue"),
        World.grant("dee", []),
    ]

    @Test(arguments: 0..<150 as Range<UInt64>)
    func everyViewEndsWhereASnapshotDoes(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let world = try World(base: ["7", "8"])
        var copies = Self.people.enumerated().map { Copy(grant: $1, client: "c\($0)") }
        for index in copies.indices { try Self.load(&copies[index], world) }
        var fanout = EventBroadcaster()
        let listener = fanout.add(try world.layer, scope: Self.people[1].viewScope, tokenID: nil)
        var heard = copies[1]
        for _ in 0..<60 {
            let who = Int.random(in: copies.indices, using: &random)
            let before = try world.layer.head
            try Self.act(&copies[who], world, &random)
            #expect(try world.layer.head >= before)
            if let commit = world.commits.last, !commit.isEmpty { _ = fanout.publish(commit) }
            if random.chance(1, of: 3) { try Self.pull(&copies[who], world, &random) }
            if random.chance(1, of: 4) { try Self.listen(&heard, fanout.take(listener)) }
        }
        try Self.listen(&heard, fanout.take(listener))
        for copy in copies {
            var caughtUp = copy
            try Self.pull(&caughtUp, world, &random)
            var fresh = Copy(grant: copy.grant, client: "fresh")
            try Self.load(&fresh, world)
            #expect(caughtUp.live == fresh.live)
            if copy.client == "c1" { #expect(heard.live == fresh.live) }
        }
    }

    private static func load(_ copy: inout Copy, _ world: World) throws {
        var next: String?
        var first: SnapshotPage?
        repeat {
            let (after, at) = (next, first?.at)
            let page = try world.look(copy.grant) { try $0.page(after: after, at: at, limit: 3) }
            check(page.records, copy.grant)
            copy.take(page.records, upTo: page.at)
            first = first ?? page
            next = page.next
        } while next != nil
    }

    private static func pull(_ copy: inout Copy, _ world: World, _ random: inout SeededRandom) throws {
        let limit = Int.random(in: 1...4, using: &random)
        var more = true
        while more {
            let cursor = copy.cursor
            let delta = try world.look(copy.grant) {
                try $0.delta(since: Cursor(epoch: $0.epoch, revision: cursor), limit: limit)
            }
            #expect(delta.changes.map(\.revision) == delta.changes.map(\.revision).sorted())
            check(delta.changes, copy.grant)
            copy.take(delta.changes, upTo: delta.upTo)
            more = delta.more
        }
    }

    private static func listen(_ copy: inout Copy, _ delivery: QueuedEvents) throws {
        for frame in delivery.frames {
            var parser = ServerSentEventParser()
            guard case .change(let event)? = try parser.feed(frame.bytes).first else { continue }
            #expect(event.previous <= copy.cursor, "nothing is missing in between")
            check(event.changes, copy.grant)
            copy.take(event.changes, upTo: event.revision)
        }
    }

    private static func check(_ items: [SyncItem], _ grant: Grant) {
        for case .record(let record, _) in items { #expect(grant.canView(Subject(record))) }
    }

    /// Sends one request: a new change, sometimes with an earlier one repeated.
    private static func act(_ copy: inout Copy, _ world: World, _ random: inout SeededRandom) throws {
        copy.n += 1
        let id = random.pick(ids)
        let base =
            random.chance(3, of: 4) ? (try world.record(id)?.revision ?? 0) : Revision.random(in: 0...5, using: &random)
        let kind = random.pick(ChangeKind.allCases)
        let isComment = random.chance(1, of: 4)
        let content = isComment ? World.comment(on: random.pick(ids)) : World.highlight("\(copy.n)")
        let change = Change(
            n: copy.n, kind: kind, id: id, baseRevision: base,
            threadRevision: random.pick([nil, nil, try world.layer.head, 1 << 53]),
            group: random.chance(1, of: 4) ? nil : .some(random.pick(groups)),
            content: kind == .create || kind == .update ? content : nil)
        var changes = [change]
        if let old = copy.sent.last, random.chance(1, of: 4) { changes.insert(old, at: 0) }
        let head = try world.layer.head
        let answer = try world.send(
            PushRequest(clientID: copy.client, acked: 0, cursor: nil, changes: changes), copy.grant)
        #expect(answer.results.count == changes.count)
        for result in answer.results {
            #expect(result.status != .gap && result.status != .mismatch)
            if let item = result.item { check([item], copy.grant) }
        }
        if changes.count > 1 { #expect((answer.results[0].revision ?? 0) <= head, "nothing is written twice") }
        copy.sent.append(change)
    }
}
