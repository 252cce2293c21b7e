import Annotations
import InstantCore
import SyncProtocol
import Testing

/// Edits that are sealed in the transaction that makes them.
@Suite struct SealingEditsTests {
    private let fixture: LayerFixture

    init() throws { fixture = try LayerFixture() }

    private func stages() throws -> [OutboxEntry.Stage] { try fixture.layer.outbox().map(\.stage) }

    @Test func anEditIsSealedWithItsOwnCommit() throws {
        let layer = fixture.layer.sealingEdits
        _ = try layer.create(note("a"), id: "a", author: nil, at: fixture.now)
        #expect(try stages() == [.sealed])
        let push = try #require(try fixture.layer.seal())
        #expect(push.changes.map(\.id) == ["a"])
        #expect(try fixture.layer.seal() == push, "sealed once, it stays what it is")
    }

    @Test func behindABurstUnderWayEditsGatherAsEver() throws {
        let layer = fixture.layer.sealingEdits
        _ = try layer.create(note("a"), id: "a", author: nil, at: fixture.now)
        _ = try layer.create(note("b"), id: "b", author: nil, at: fixture.now)
        _ = try layer.update("b", content: note("b again"), at: fixture.now)
        #expect(try stages() == [.sealed, .waiting])
        #expect(try fixture.layer.seal()?.changes.count == 2)
    }

    @Test func anEditThatIsRefusedSealsNothing() throws {
        _ = try fixture.layer.create(note("a"), id: "a", author: nil, at: fixture.now)
        #expect(throws: EditProblem.self) {
            try fixture.layer.sealingEdits.update("nobody", content: note("x"), at: fixture.now)
        }
        #expect(try stages() == [.waiting])
    }
}
