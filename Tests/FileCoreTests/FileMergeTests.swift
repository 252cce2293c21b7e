import Annotations
import FileCore
import Testing

/// What another program has saved shows what that program has seen.
@Suite("The merge of a file that another program has changed")
struct FileMergeTests {
    /// An annotation without a name that looks like one of this program's own does not show that its program has seen that,
    /// and neither does one that is older than what is known of the file: it was deleted and brought back.
    @Test func onlyAFileThatNamesWhatWasWrittenShowsThatItsProgramHasSeenIt() {
        for (isNamed, seconds) in [(true, 1_000_001), (false, 1_000_001), (true, 999_999)] as [(Bool, Int64)] {
            let isSign = isNamed && seconds > 1_000_000
            let (copy, note) = (Bench.note(Bench.id(made: seconds), "copy"), Bench.note("b", "note"))
            let synced = [copy, note].reduce(into: [:]) { rows, record in
                rows[ByteOrdered(record.id)] = LocalFileState.Row(
                    base: record, local: record, written: LocalFileState.Written(number: 1, before: [nil]))
            }
            var found = copy
            if !isNamed { found.content = found.content.changing { $0["name"] = nil } }
            var bench = Bench(policy: ByMember("text"))
            bench.send(.changedOnDisk)
            bench.look(
                .read(
                    FileReading(version: Bench.version("anew"), records: [found], origin: .anew(nil), synced: synced)))
            bench.store()
            #expect(bench.core.state.conflicts.keys.map(\.text) == (isSign ? [] : ["b"]))
        }
    }

    /// A program that changes one of this program's own annotations has not seen what is written after that.
    @Test func aChangeByAnotherProgramShowsNoLaterWrite() {
        let id = Bench.id(made: 1_000_001)
        let (mine, theirs, note) = (Bench.note(id, "mine"), Bench.note(id, "theirs"), Bench.note("b", "note"))
        func written(_ record: Record) -> LocalFileState.Row {
            LocalFileState.Row(
                base: record, local: record, written: LocalFileState.Written(number: 1, before: [nil]))
        }
        var bench = Bench()
        bench.send(.changedOnDisk)
        let changed = FileReading(
            version: Bench.version("second"), records: [theirs], synced: [ByteOrdered(id): written(mine)])
        bench.look(.read(changed))
        var rows = [ByteOrdered("b"): written(note)]
        for case .store(_, let changes, _) in bench.effects {
            for case .row(let id, let row) in changes { rows[id] = row }
        }
        bench.store()
        bench.send(.changedOnDisk)
        bench.look(
            .read(FileReading(version: Bench.version("anew"), records: [theirs], origin: .anew(nil), synced: rows)))
        bench.store()
        #expect(bench.core.state.conflicts.keys.map(\.text) == ["b"])
    }

    /// A person deletes a note, and a new text of the document drops it, too.
    @Test func aDeletionIsRememberedAlsoIfAnotherTextRemovesTheNote() {
        let note = Bench.note("a", "one")
        var bench = Bench([note])
        bench.send(
            .pushed(
                2, [LocalFileCore.Edit(id: "a", record: nil)],
                synced: [ByteOrdered("a"): LocalFileState.Row(base: note, local: note)]))
        bench.store()
        bench.send(.changedOnDisk)
        bench.look(.read(FileReading(version: Bench.version("typeset"), records: [], origin: .anew(SameWords()))))
        var rows: [ByteOrdered: LocalFileState.Row] = [:]
        for case .store(_, let changes, _) in bench.effects {
            for case .row(let id, let row) in changes { rows[id] = row }
        }
        bench.store()
        // A program that had the old text open saves it.
        bench.send(.changedOnDisk)
        bench.look(
            .read(
                FileReading(
                    version: Bench.version("old"), records: [note], origin: .anew(SameWords()), synced: rows)))
        bench.store()
        #expect(bench.core.state.conflicts.keys.map(\.text) == ["a"])
    }

    /// A program continues an old version and changes a note to what the engine already knows.
    @Test func whatAFileHadBeforeIsNotNews() {
        let (old, new) = (Bench.note("a", "old"), Bench.note("a", "new"))
        var bench = Bench([old])
        bench.send(.changedOnDisk)
        bench.look(.read(FileReading(version: Bench.version("anew"), records: [new], origin: .anew(nil))))
        bench.store()
        let synced = [ByteOrdered("a"): LocalFileState.Row(base: new, local: new)]
        bench.send(.pushed(2, [LocalFileCore.Edit(id: "a", record: old)], synced: synced))
        bench.store()
        bench.send(.changedOnDisk)
        bench.look(
            .read(FileReading(version: Bench.version("late"), records: [new], origin: .continuesEarlier([old]))))
        bench.store()
        #expect(bench.core.state.rows[ByteOrdered("a")]?.local?.content["text"]?.string == "old")
    }

    /// A person deletes a note that the old version did not have. There is nothing left to write.
    @Test func aDeletionIsDoneIfAnOldVersionComesBackWithoutTheNote() {
        let note = Bench.note("a", "one")
        var bench = Bench([note])
        let synced = [ByteOrdered("a"): LocalFileState.Row(base: note, local: note)]
        bench.send(.pushed(2, [LocalFileCore.Edit(id: "a", record: nil)], synced: synced))
        bench.store()
        #expect(bench.core.state.unwritten == 1)
        bench.send(.changedOnDisk)
        bench.look(.read(FileReading(version: Bench.version("late"), records: [], origin: .continuesEarlier([]))))
        bench.store()
        #expect(bench.core.state.unwritten == 0 && bench.core.state.conflicts.isEmpty)
        #expect(bench.core.state.rows[ByteOrdered("a")]?.base == nil)
    }

    /// An unknown note of an old version was deleted since if its name identifies it. Without a name it may be a known note
    /// that was not recognized.
    @Test(arguments: [true, false]) func anOldNoteThatIsNotKnownIsAddedIfItHasNoName(isNamed: Bool) {
        var note = Bench.note("a", "one")
        note.id = "11"
        if !isNamed { note.content = note.content.changing { $0["name"] = nil } }
        var bench = Bench()
        bench.send(.changedOnDisk)
        bench.look(
            .read(FileReading(version: Bench.version("late"), records: [note], origin: .continuesEarlier([note]))))
        let rows = bench.effects.flatMap { effect -> [LocalFileState.Row] in
            guard case .store(_, let changes, _) = effect else { return [] }
            return changes.compactMap { if case .row(_, let row) = $0 { row } else { nil } }
        }
        #expect(rows.compactMap { $0.local?.content["text"]?.string } == (isNamed ? [] : ["one"]))
    }

    /// A person deletes a note without an id of its own, and a program that has not seen that changes it.
    @Test func aDeletionIsInDisputeIfAProgramThatHasNotSeenItChangesTheNote() {
        func note(_ id: Record.ID, _ text: String) -> Record {
            let content = #"{"type":"pspdfkit/note","pageIndex":0,"text":"\#(text)","subject":"a"}"#
            return Record(id: id, content: Content(checked: content))
        }
        var bench = Bench(policy: ByMember("subject"))
        let deleted = LocalFileState.Row(written: LocalFileState.Written(number: 1, before: [note("7", "old")]))
        bench.send(.changedOnDisk)
        bench.look(
            .read(
                FileReading(
                    version: Bench.version("late"), records: [note("9", "new")],
                    origin: .continuesEarlier([note("9", "old")]), synced: [ByteOrdered("7"): deleted])))
        bench.store()
        #expect(bench.core.state.conflicts.keys.map(\.text) == ["7"])
    }
}
