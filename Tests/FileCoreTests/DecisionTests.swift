import Annotations
import FileCore
import TestSupport
import Testing

/// A choice applies only to the two versions that were shown.
@Suite struct DecisionTests {
    typealias Core = LocalFileCore

    static let mine = Bench.note("a", "mine")
    static let theirs = Bench.note("a", "theirs")
    static let later = Bench.note("a", "later")
    static let id = ByteOrdered("a")

    /// The layer has `mine`, and the file `theirs`.
    private func dispute() -> Bench {
        var bench = Bench([Bench.note("a", "old")])
        bench.edit(2, Self.mine)
        bench.store()
        bench.read(Self.theirs, as: "second")
        #expect(bench.core.state.sides(of: Self.id) == LocalFileState.Sides(local: Self.mine, remote: Self.theirs))
        return bench
    }

    @Test(arguments: [(Core.Choice.local, Self.mine), (.remote, Self.theirs), (.layer, Self.mine)])
    func aChoiceBetweenWhatWasSeenCounts(_ choice: Core.Choice, _ kept: Record) {
        var bench = dispute()
        bench.decide(choice, LocalFileState.Sides(local: Self.mine, remote: Self.theirs))
        bench.store()
        #expect(bench.answers == [.done] && bench.core.state.conflicts.isEmpty)
        #expect(bench.core.state.rows[Self.id]?.local ?? Self.theirs == kept)
    }

    /// Another program saves once more while the person reads.
    @Test(arguments: [Core.Choice.local, .remote, .layer])
    func aFileThatChangesMeanwhileIsNotDecidedAbout(_ choice: Core.Choice) {
        var bench = dispute()
        bench.read(Self.later, as: "third")
        bench.decide(choice, LocalFileState.Sides(local: Self.mine, remote: Self.theirs))
        #expect(bench.answers == [.failed(.decidedUnseen)])
        #expect(bench.core.state.sides(of: Self.id) == LocalFileState.Sides(local: Self.mine, remote: Self.later))
    }

    /// Another window edits the note once more.
    @Test func anEditMeanwhileIsNotGivenUp() {
        var bench = dispute()
        bench.edit(3, Self.later)
        bench.store()
        bench.decide(.remote, LocalFileState.Sides(local: Self.mine, remote: Self.theirs))
        #expect(bench.answers == [.failed(.decidedUnseen)])
        bench.decide(.local, LocalFileState.Sides(local: Self.later, remote: Self.theirs))
        bench.store()
        #expect(bench.answers == [.done] && bench.core.state.rows[Self.id]?.local == Self.later)
    }

    /// The layer deleted a note and shows the file's version of it, which another window then edits.
    @Test func anEditOfANoteWhoseDeletionIsInDisputeIsASide() {
        let old = Bench.note("a", "old")
        var bench = Bench([old])
        let row = LocalFileState.Row(base: old, local: old)
        bench.send(.pushed(2, [Core.Edit(id: "a", record: nil)], synced: [Self.id: row]))
        bench.store()
        bench.read(Self.theirs, as: "second")
        #expect(bench.core.state.sides(of: Self.id) == LocalFileState.Sides(local: nil, remote: Self.theirs))
        bench.edit(3, Self.later)
        bench.store()
        bench.decide(.local, LocalFileState.Sides(local: nil, remote: Self.theirs))
        #expect(bench.answers == [.failed(.decidedUnseen)])
        bench.decide(.local, LocalFileState.Sides(local: Self.later, remote: Self.theirs))
        bench.store()
        #expect(bench.core.state.rows[Self.id]?.local == Self.later)
    }

    /// Another window was faster.
    @Test func whatIsDecidedIsNotDecidedAgain() {
        var bench = dispute()
        let sides = LocalFileState.Sides(local: Self.mine, remote: Self.theirs)
        bench.decide(.local, sides)
        bench.store()
        bench.decide(.remote, sides)
        #expect(bench.answers == [.failed(.decidedUnseen)])
        #expect(bench.core.state.rows[Self.id]?.local == Self.mine)
    }
}

extension Bench {
    fileprivate mutating func read(_ note: Record, as hash: String) {
        send(.changedOnDisk)
        look(.read(FileReading(version: Self.version(hash), records: [note])))
        store()
    }

    fileprivate mutating func decide(_ choice: Core.Choice, _ sides: LocalFileState.Sides) {
        send(.resolved(5, Core.Decision(id: "a", choice: choice, sides: sides)))
    }
}
