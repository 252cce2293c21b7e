import Annotations
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// Rows derived by an older program are derived again, in batches.
@Suite struct MigrationTests {
    private let fixture: LayerFixture
    private var layer: Layer { fixture.layer }

    /// Five records and a queued edit, all with outdated rows.
    init() throws {
        fixture = try LayerFixture(records: (1...5).map { stored("\($0)", "text \($0)", 1) })
        try layer.create(note("mine"), id: "9", author: nil, at: fixture.now)
        try layer.store.write { store in
            for id in ["1", "2", "3", "4", "5", "9"] {
                try store.show(ShownRow(Record(id: id, content: note("old")), delivery: .delivered))
            }
            var metadata = try store.metadata()
            metadata.derivation = ShownRow.derivation - 1
            try store.set(metadata)
        }
    }

    private func texts() throws -> [String] {
        try layer.rows(ListQuery(), offset: 0, limit: 9).sorted { $0.id < $1.id }.map(\.text)
    }

    @Test func whatIsOursComesFirstAndTheRestInSteps() throws {
        #expect(try layer.metadata().needsMigration)
        #expect(try texts() == Array(repeating: "old", count: 6))
        #expect(try layer.migrate(limit: 2) == false)
        #expect(try texts() == ["text 1", "text 2", "old", "old", "old", "mine"])
        #expect(try layer.row("9")?.delivery == .unsent)
        #expect(try layer.migrate(limit: 2) == false)
        #expect(try layer.migrate(limit: 2))
        #expect(try texts() == ["text 1", "text 2", "text 3", "text 4", "text 5", "mine"])
        #expect(try layer.metadata().needsMigration == false)
    }

    @Test func whereItStandsIsKept() throws {
        _ = try layer.migrate(limit: 2)
        let metadata = try layer.metadata()
        #expect(try LayerMetadata(json: metadata.json) == metadata)
        #expect(metadata.migratedTo == "2")
    }

    @Test func itIsDoneBeforeAnythingIsSent() throws {
        var random = SeededRandom(seed: 1)
        var synchronizer = Synchronizer(layer: layer)
        #expect(synchronizer.cycle.state == .needsContentMigration)
        let began = synchronizer.handle(.syncRequested, now: fixture.now, random: &random)
        #expect(began.contains(.wake(Timestamp(milliseconds: 0))))
        let done = synchronizer.handle(.woke, now: fixture.now, random: &random)
        #expect(states(done) == [.migratingContent, .dirty])
        #expect(try texts().last == "mine")
        #expect(
            !synchronizer.handle(.woke, now: fixture.now, random: &random).contains(.wake(Timestamp(milliseconds: 0))))
    }

    @Test func onlyWhoHoldsTheLockDoesIt() throws {
        var random = SeededRandom(seed: 1)
        var synchronizer = Synchronizer(layer: layer, isLeading: false)
        #expect(states(synchronizer.handle(.woke, now: fixture.now, random: &random)) == [])
        #expect(synchronizer.cycle.state == .needsContentMigration)
        // The other process finishes, and this one detects it.
        while try !layer.migrate(limit: 2) {}
        #expect(states(synchronizer.handle(.storeChanged, now: fixture.now, random: &random)) == [.dirty])
        // If the other process exits first, this one takes over.
        try layer.store.write { store in
            var metadata = try store.metadata()
            metadata.wasReset = true
            metadata.cursor = nil
            try store.set(metadata)
        }
        synchronizer = Synchronizer(layer: layer, isLeading: false)
        #expect(synchronizer.cycle.state == .needsResetForDatabaseMigration)
        _ = synchronizer.handle(.leading(true), now: fixture.now, random: &random)
        let done = synchronizer.handle(.woke, now: fixture.now, random: &random)
        #expect(states(done) == [.resettingForDatabaseMigration, .dirty])
    }

    private func states(_ effects: [Synchronizer.Effect]) -> [DocumentState] {
        effects.compactMap { if case .announce(.changedState(let state)) = $0 { state } else { nil } }
    }
}
