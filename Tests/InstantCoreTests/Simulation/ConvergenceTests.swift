import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// Several clients and the server in one process, a seeded schedule, and everything that can go wrong on the way:
/// requests and answers lost, doubled or late, streams cut, processes killed, tokens expired, rights withdrawn.
///
/// At quiet every client shows what the server holds, and every edit a person made was applied once, waits, or is a
/// visible conflict. A failing seed replays.
@Suite struct ConvergenceTests {
    @Test(arguments: 0..<100)
    func everyClientEndsUpWithTheSameLayer(seed: Int) throws {
        var world = try World(seed: UInt64(seed))
        for _ in 0..<400 { try world.step() }
        try world.settle()
        for client in world.clients {
            try world.expectSameRecords(client, seed)
            try world.expectNothingLost(client, seed)
            #expect(client.open == 0, "seed \(seed): \(client.name) has a sync that began and never ended")
        }
        for (text, count) in world.server.applied where !world.undoneTexts.contains(text) {
            #expect(count == 1, "seed \(seed): \(text) was applied \(count) times")
        }
    }
}

private struct World {
    let server: SimulatedServer
    let clients: [SimulatedClient]
    var random: SeededRandom
    var now = Timestamp(seconds: 1000)
    var nextText = 0
    /// Written a second time, on purpose.
    var undoneTexts: Set<String> = []

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        server = try SimulatedServer(base: (1...7).map { Record(id: "\($0)", content: note("base \($0)")) })
        clients = try ["ana", "bo", "cy"].map { [server] in try SimulatedClient($0, server: server) }
        for client in clients {
            try client.give(.listening(true), now, &random)
            try client.supplyToken(now, &random)
        }
    }

    mutating func step() throws {
        let client = random.pick(clients)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<55: _ = try client.deliver(now, &random, faults: true)
        case 55..<75: try edit(client)
        case 75..<78: try client.crash(now, &random)
        case 78..<80: server.expired.insert(client.ticketName)
        case 80..<84: try client.supplyToken(now, &random)
        case 84..<86: try changeRights(client)
        case 86..<88: try settleConflict(client)
        case 88..<89: try client.give(.nudged, now, &random)
        case 89..<92: try undo(client)
        default: try pass(Int64.random(in: 10...3000, using: &random))
        }
    }

    private mutating func pass(_ milliseconds: Int64) throws {
        now = now + milliseconds
        for client in clients { if let wake = client.wake, wake <= now { try client.give(.woke, now, &random) } }
    }

    private mutating func edit(_ client: SimulatedClient) throws {
        nextText += 1
        let text = "text \(nextText) of \(client.name)"
        let rows = try client.layer.rows(ListQuery(), offset: 0, limit: 100)
        do {
            switch (Int.random(in: 0..<10, using: &random), rows.isEmpty) {
            case (0..<4, _), (_, true):
                let id = ULID.make(at: now, using: &random)
                client.receipts.append(try client.layer.create(note(text), id: id, author: nil, at: now))
                client.made[id] = text
            case (4..<8, _):
                let id = random.pick(rows).id
                client.receipts.append(try client.layer.update(id, content: note(text), at: now))
                client.made[id] = text
            default:
                let id = random.pick(rows).id
                client.receipts.append(try client.layer.delete(id, at: now))
                client.made[id] = nil
            }
        } catch is EditProblem { return }
        try client.give(.edited, now, &random)
    }

    private mutating func undo(_ client: SimulatedClient) throws {
        guard let receipt = client.receipts.popLast() else { return }
        do {
            let undone = try client.layer.undo(receipt, at: now)
            client.made[receipt.id] = nil
            if let text = undone.after.map({ Annotation($0).text }) { undoneTexts.insert(text) }
        } catch is EditProblem { return }
        try client.give(.edited, now, &random)
    }

    private mutating func changeRights(_ client: SimulatedClient) throws {
        client.grant.general = client.grant.mayWrite ? [.readDocument, .download] : Set(GeneralPermission.allCases)
        try client.supplyToken(now, &random)
    }

    private mutating func settleConflict(_ client: SimulatedClient) throws {
        guard let conflict = try client.layer.conflicts().first else { return }
        let newID = ULID.make(at: now, using: &random)
        do {
            let receipt = try client.layer.resolve(
                conflict.id, random.chance(1, of: 2) ? .mine : .theirs, newID: newID, at: now)
            let text = client.made.removeValue(forKey: conflict.recordID)
            if let receipt, receipt.kind != .delete { client.made[receipt.id] = text }
        } catch is EditProblem { return }
        try client.give(.edited, now, &random)
    }

    /// The network works, every token is good, and time passes until nothing moves any more.
    mutating func settle() throws {
        server.expired = []
        for client in clients {
            client.grant.general = Set(GeneralPermission.allCases)
            try client.supplyToken(now, &random)
        }
        var rounds = 0
        var quiet = 0
        while quiet < 3 {
            var moved = false
            for client in clients { while try client.deliver(now, &random, faults: false) { moved = true } }
            quiet = moved ? 0 : quiet + 1
            try pass(15_000)
            for client in clients {
                for stream in client.streams { try client.give(.heard(stream.id, .heartbeat), now, &random) }
            }
            rounds += 1
            try #require(rounds < 2000, "it never comes to rest")
        }
    }

    func expectSameRecords(_ client: SimulatedClient, _ seed: Int) throws {
        let wanted = try server.live(by: client.grant).map { "\($0.id) \(Annotation($0).text)" }
        // Lost edits of a record that is gone stand in its place: they are this client's own view.
        let rows = try client.layer.rows(ListQuery(), offset: 0, limit: 10_000).filter { row in
            try client.layer.store.read { try $0.record(row.id) } != nil
                || ![.conflict, .refused].contains(row.delivery)
        }
        let shown = try rows.map { "\($0.id) \(Annotation(try #require(try client.layer.record($0.id))).text)" }
        #expect(shown.sorted() == wanted.sorted(), "seed \(seed): \(client.name)")
        #expect(try client.layer.hasUnsent() == false, "seed \(seed): \(client.name) still has something to send")
    }

    func expectNothingLost(_ client: SimulatedClient, _ seed: Int) throws {
        let kept = try client.layer.outbox().map { entry in
            entry.content.map { Annotation(id: "", content: $0).text } ?? ""
        }
        for (id, text) in client.made where server.applied[text] == nil && !kept.contains(text) {
            Issue.record("seed \(seed): \(client.name) lost \(text) of \(id)")
        }
    }
}
