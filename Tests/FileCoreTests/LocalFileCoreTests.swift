import Annotations
import FileCore
import Testing

@Suite("The core of a person's own PDF")
struct LocalFileCoreTests {
    @Test func anEditIsAnsweredOnceItIsStoredOnDisk() {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        #expect(bench.places == [.data])
        #expect(bench.answers == [])
        bench.store()
        #expect(bench.answers == [.done])
        #expect(bench.core.state.unwritten == 1)
    }

    @Test func anEditThatIsNotStoredIsRefused() {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.send(.notStored(bench.ticket ?? 0, reason: "the disk is full"))
        #expect(bench.answers == [.failed(.notStored("the disk is full"))])
        #expect(bench.core.state.unwritten == 0)
    }

    @Test func aPrivateFileIsNeverStoredOnDisk() {
        var bench = Bench(isPrivate: true)
        bench.edit(2, Bench.note("a", "one"))
        #expect(bench.places == [.runtime])
        bench.store()
        bench.send(.closed(Bench.ana))
        #expect(bench.effects.contains { if case .forget = $0 { true } else { false } })
    }

    @Test func aFileThatHasAnotherPathIsWrittenThere() {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.store()
        bench.send(.writeAsked(9, LocalFileCore.WriteOrder()))
        let look = bench.ticket ?? 0
        bench.send(.moved("/home/ana/old/paper.pdf"))
        #expect(bench.core.path == "/home/ana/paper.pdf")
        bench.send(.looked(look, .same, beside: []))
        bench.store()
        #expect(bench.core.state.hidden.allSatisfy { $0.utf8.starts(with: "/home/ana/.paper.pdf.".utf8) })
        bench.send(.prepared(bench.ticket ?? 0, .failed(.failed("no space left on device"))))
        #expect(bench.core.path == "/home/ana/old/paper.pdf")
    }

    /// The windows of an engine that ended come back to the next one, and are not counted twice.
    @Test func aWindowThatComesBackCountsOnce() {
        var bench = Bench()
        bench.core = LocalFileCore(path: "/home/ana/paper.pdf", name: "one", policy: ByName())
        var state = LocalFileState()
        state.apply(.madePrivate)
        state.apply(.owners([Bench.ana]))
        bench.send(.started(state, .runtime, alive: [Bench.ana]))
        #expect(bench.core.windows == 1)
        for count in 1...2 {
            bench.send(.opened(count, Bench.ana, isPrivate: true))
            bench.store()
            #expect(bench.core.windows == count)
        }
    }

    /// A window that was killed while it was opening the file is still asked for.
    @Test func aPrivateSessionDoesNotBeginWhileAnotherOpeningWaits() {
        var bench = Bench()
        bench.core = LocalFileCore(path: "/home/ana/paper.pdf", name: "one", policy: ByName())
        var state = LocalFileState()
        state.apply(.madePrivate)
        bench.send(.started(state, .runtime, alive: []))
        guard case .forget(let ticket)? = bench.effects.last else { return #expect(Bool(false)) }
        bench.send(.opened(1, Bench.ana, isPrivate: false))
        bench.send(.gone(Bench.ana))
        bench.send(.opened(2, FileUser(pid: 8, start: 8), isPrivate: true))
        bench.send(.forgotten(ticket, true))
        #expect(bench.answers.contains(.failed(.openOtherwise)))
        #expect(!bench.core.state.isPrivate)
    }

    @Test func nobodyGetsWhatAPrivateSessionHas() {
        var bench = Bench(isPrivate: true)
        bench.send(.opened(5, FileUser(pid: 11, start: 1), isPrivate: false))
        #expect(bench.answers == [.failed(.openPrivately)])
    }

    @Test("A later edit is not in a write that was planned before it")
    func aWriteIsOfOneMoment() {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.store()
        bench.prepare(as: "second")
        let exchange = bench.ticket ?? 0
        bench.edit(3, Bench.note("a", "two"))
        bench.store()
        bench.send(.exchanged(exchange, .done(Bench.version.contents)))
        bench.store()
        #expect(bench.core.state.version?.sha256 == "second")
        let row = bench.core.state.rows[ByteOrdered("a")]
        #expect(row?.base?.content["text"]?.string == "one")
        #expect(row?.local?.content["text"]?.string == "two")
    }

    @Test(
        "After an error only the files tell whether a write has happened",
        arguments: [("second", "first", true), ("first", "second", false), ("other", "first", true)])
    func theFilesTell(file: String, hidden: String, happened: Bool) {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.store()
        bench.prepare(as: "second")
        bench.send(.exchanged(bench.ticket ?? 0, .unclear(.failed("input/output error"))))
        #expect(bench.core.state.intent != nil)
        bench.send(.inspected(bench.ticket ?? 0, .failed(.failed("input/output error"))))
        #expect(bench.core.state.intent != nil)
        bench.send(.tick)
        bench.send(
            .inspected(bench.ticket ?? 0, .found(file: Bench.version(file), hidden: Bench.version(hidden))))
        bench.store()
        #expect(bench.core.state.intent == nil)
        #expect((bench.core.state.unwritten == 0) == happened)
    }

    @Test func whatAnotherProgramHasWrittenMeanwhileGoesBack() {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.store()
        bench.prepare(as: "second")
        bench.send(.exchanged(bench.ticket ?? 0, .done(Bench.version("other").contents)))
        bench.send(
            .inspected(bench.ticket ?? 0, .found(file: Bench.version("second"), hidden: Bench.version("other"))))
        #expect(bench.effects.contains { if case .putBack = $0 { true } else { false } })
    }

    /// A clock that was set back makes the newer file look older.
    @Test(arguments: [true, false]) func aFileThatContinuesTheWrittenOneIsNewerWhateverClocksSay(_ isContinued: Bool) {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.store()
        bench.prepare(as: "second")
        bench.send(.exchanged(bench.ticket ?? 0, .done(Bench.version("other").contents)))
        var hidden = Bench.version("other")
        hidden.changed = 2
        bench.send(
            .inspected(
                bench.ticket ?? 0,
                .found(file: Bench.version("third", size: 200), hidden: hidden, isContinued: isContinued)))
        #expect(bench.effects.contains { if case .putBack = $0 { true } else { false } } == !isContinued)
    }

    @Test func aRecordThatCannotBeWrittenHoldsUpNoOther() {
        var bench = Bench()
        for id in ["a", "b"] {
            bench.edit(2, Bench.note(id, "one"))
            bench.store()
        }
        bench.prepare(as: "second", unwritten: ["a"])
        bench.send(.exchanged(bench.ticket ?? 0, .done(Bench.version.contents)))
        bench.store()
        #expect(bench.core.state.rows.filter { !$0.value.isWritten }.keys.map(\.text) == ["a"])
        guard case .written(let written)? = bench.answers.first else { return #expect(Bool(false)) }
        #expect(written.records == 1 && written.unwritten == ["a"])
    }

    @Test("What the engine has written, and a file written anew lacks, is listed and not written again")
    func whatAFileWrittenAnewLacks() {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.store()
        bench.write(as: "second", over: Bench.version)
        let note = Bench.note("a", "one")
        let known = [
            ByteOrdered("a"): LocalFileState.Row(
                base: note, local: note, written: LocalFileState.Written(number: 1, before: [nil]))
        ]
        bench.send(.changedOnDisk)
        bench.look(.read(FileReading(version: Bench.version("third"), records: [], origin: .anew(nil), synced: known)))
        bench.store()
        #expect(bench.core.state.conflicts[ByteOrdered("a")]?.daysLeft == 30)
        #expect(bench.core.state.rows[ByteOrdered("a")]?.local != nil)
        bench.send(.writeAsked(4, LocalFileCore.WriteOrder()))
        bench.look(.same)
        #expect(bench.effects.allSatisfy { if case .prepare = $0 { false } else { true } })
    }

    /// One program appends to the version from before a write. Another one, which has seen that write, then saves anew and
    /// drops one of its records.
    @Test func whatWasLostAndThenDroppedIsNotWrittenAgain() {
        let (kept, dropped) = (Bench.note("a", "kept"), Bench.note("b", "dropped"))
        var bench = Bench()
        func known(_ record: Record, inFile: Bool) -> LocalFileState.Row {
            LocalFileState.Row(
                base: inFile ? record : nil, local: record,
                written: LocalFileState.Written(number: 1, before: inFile ? [nil] : [nil, record]))
        }
        func rows(inFile: Bool) -> [ByteOrdered: LocalFileState.Row] {
            [
                ByteOrdered("a"): known(kept, inFile: inFile),
                ByteOrdered("b"): known(dropped, inFile: inFile),
            ]
        }
        bench.send(.changedOnDisk)
        let appended = FileReading(
            version: Bench.version("appended"), records: [], origin: .continuesEarlier([]),
            synced: rows(inFile: true))
        bench.look(.read(appended))
        bench.store()
        #expect(bench.core.state.rows == rows(inFile: false) && bench.core.state.conflicts.isEmpty)
        bench.send(.changedOnDisk)
        bench.look(.read(FileReading(version: Bench.version("anew"), records: [kept], origin: .anew(nil))))
        bench.store()
        #expect(bench.core.state.conflicts.keys.map(\.text) == ["b"])
        #expect(bench.core.state.conflicts[ByteOrdered("b")]?.daysLeft == 30)
    }

    /// Another program saves at the same moment: its file goes back, and this program's version was in place for a moment.
    /// A record that is there as it was before shows nothing of that write, nor of the writes in between.
    @Test func whatWasPutBackDoesNotShowWhatItsProgramHasSeen() {
        let (first, second) = (Bench.id(made: 2_000_000), Bench.id(made: 2_000_001))
        var bench = Bench()
        bench.edit(2, Bench.note(first, "one"))
        bench.store()
        bench.write(as: "second", over: Bench.version)
        bench.edit(2, Bench.note(second, "one"))
        bench.store()
        bench.write(as: "third", over: Bench.version("second"))
        let known = [first, second].enumerated().map { number, id in
            let note = Bench.note(id, "one")
            return (
                ByteOrdered(id),
                LocalFileState.Row(
                    base: note, local: note,
                    written: LocalFileState.Written(number: Int64(number + 1), before: [nil]))
            )
        }
        let synced = Dictionary(uniqueKeysWithValues: known)
        let edit = Bench.note(first, "two")
        bench.send(.pushed(2, [LocalFileCore.Edit(id: first, record: edit)], synced: synced))
        bench.store()
        bench.prepare(as: "fourth")
        bench.send(.exchanged(bench.ticket ?? 0, .done(Bench.version("other").contents)))
        bench.send(
            .inspected(bench.ticket ?? 0, .found(file: Bench.version("fourth"), hidden: Bench.version("other"))))
        bench.send(.exchanged(bench.ticket ?? 0, .done(Bench.version("fourth").contents)))
        bench.send(
            .inspected(bench.ticket ?? 0, .found(file: Bench.version("other"), hidden: Bench.version("fourth"))))
        bench.store()
        bench.look(
            .read(
                FileReading(
                    version: Bench.version("other"), records: [Bench.note(first, "one")], origin: .anew(nil),
                    synced: synced)))
        bench.store()
        #expect(bench.core.state.conflicts[ByteOrdered(second)]?.daysLeft == 30)
        #expect(bench.core.state.rows[ByteOrdered(second)]?.local != nil)
    }

    /// A program that has not finished writing has decided nothing.
    @Test func aFileWithoutItsEndKeepsBothSidesOfAConflict() {
        let (mine, theirs) = (Bench.note("a", "mine"), Bench.note("a", "theirs"))
        var bench = Bench([Bench.note("a", "one")])
        let synced = [ByteOrdered("a"): LocalFileState.Row(base: Bench.note("a", "one"), local: Bench.note("a", "one"))]
        bench.send(.pushed(2, [LocalFileCore.Edit(id: "a", record: mine)], synced: synced))
        bench.store()
        bench.send(.changedOnDisk)
        bench.look(.read(FileReading(version: Bench.version("second"), records: [theirs])))
        bench.store()
        let damaged = FileReading(version: Bench.version("third"), records: [], origin: .anew(nil), isDamaged: true)
        for _ in 1...2 {
            bench.send(.changedOnDisk)
            bench.look(.read(damaged))
            bench.now = Timestamp(seconds: 1_000_010)
        }
        bench.store()
        let conflict = bench.core.state.conflicts[ByteOrdered("a")]
        #expect(conflict?.local == mine && conflict?.remote == nil && conflict?.further == [theirs])
    }

    @Test("An edit costs the same whether few or many wait")
    func oneEditIsOneChange() {
        var bench = Bench()
        for number in 0..<500 {
            bench.edit(2, Bench.note("n\(number)", "one"))
            guard case .store(_, let changes, _)? = bench.effects.last else { return #expect(Bool(false)) }
            #expect(changes.count == 1)
            bench.store()
        }
        #expect(bench.core.state.unwritten == 500)
    }

    @Test func whatIsWrittenAndClosedIsForgotten() {
        var bench = Bench([Bench.note("1", "one")])
        bench.send(.closed(Bench.ana))
        bench.look(.same)
        guard case .forget(let ticket)? = bench.effects.last else { return #expect(Bool(false)) }
        bench.send(.forgotten(ticket, true))
        #expect(bench.core.isIdle)
    }

    @Test func aStateOfAnEarlierVersionIsTakenOverOnce() {
        var bench = Bench()
        let row = LocalFileState.Row(base: nil, local: Bench.note("old", "kept"))
        let earlier = LocalFileCore.EarlierState(
            checksum: "sum", version: Bench.version, rows: [ByteOrdered("old"): row])
        bench.send(.foundEarlier(earlier))
        bench.store()
        #expect(bench.effects.contains(.removeEarlier(checksum: "sum")))
        #expect(bench.core.state.unwritten == 1)
        bench.send(.foundEarlier(earlier))
        #expect(bench.effects == [.removeEarlier(checksum: "sum")])
    }

    /// An engine of an earlier version goes on with a state that this one has taken over already.
    @Test(arguments: [true, false]) func whatWasDeletedSinceItWasTakenOverStaysDeleted(_ isEditedThere: Bool) {
        var bench = Bench()
        func earlier(_ text: String, _ checksum: String) -> LocalFileCore.EarlierState {
            let row = LocalFileState.Row(base: nil, local: Bench.note("old", text))
            return LocalFileCore.EarlierState(
                checksum: checksum, version: Bench.version, rows: [ByteOrdered("old"): row])
        }
        bench.send(.foundEarlier(earlier("kept", "sum")))
        bench.store()
        let taken = bench.core.state.rows[ByteOrdered("old")]
        bench.send(
            .pushed(3, [LocalFileCore.Edit(id: "old", record: nil)], synced: [:]))
        bench.store()
        var again = earlier(isEditedThere ? "kept and edited" : "kept", "another sum")
        again.synced = [
            ByteOrdered("old"): LocalFileState.Row(base: nil, local: nil, written: taken?.written)
        ]
        bench.send(.foundEarlier(again))
        bench.store()
        #expect((bench.core.state.rows[ByteOrdered("old")]?.local != nil) == isEditedThere)
    }

    /// The layer would lack what the file has besides.
    @Test(arguments: [true, false])
    func aFileWhoseRecordsAreGoneIsReadWhateverItHas(_ isRead: Bool) {
        var bench = Bench()
        bench.core = LocalFileCore(path: "/home/ana/paper.pdf", name: "one", policy: ByName())
        bench.send(.started(nil, .runtime, alive: []))
        let records = [Bench.note("a", "one")]
        bench.send(
            .foundEarlier(
                LocalFileCore.EarlierState(
                    checksum: "sum", version: Bench.version,
                    rows: [ByteOrdered("old"): LocalFileState.Row(local: Bench.note("old", "kept"))],
                    records: isRead ? records : nil)))
        bench.store()
        bench.send(.opened(1, Bench.ana, isPrivate: false))
        guard case .look(_, let known)? = bench.effects.last else { return #expect(Bool(false)) }
        #expect(known.version == (isRead ? Bench.version : nil))
        bench.look(.read(FileReading(version: Bench.version, records: records, origin: .anew(nil))))
        bench.store()
        #expect(bench.core.state.unwritten == 1 && bench.core.state.version == Bench.version)
    }

    @Test func whatAnEarlierWriteHasLeftBesideTheFileIsRemoved() {
        var bench = Bench()
        bench.core = LocalFileCore(path: "/home/ana/paper.pdf", name: "one", policy: ByName())
        bench.send(.started(nil, .runtime, alive: []))
        let row = LocalFileState.Row(local: Bench.note("old", "kept"))
        let intent = LocalFileState.Intent(
            number: 1, version: Bench.version("second"), hidden: "/home/ana/hidden", keepsIDs: true,
            rows: [ByteOrdered("old"): row.local])
        bench.send(
            .foundEarlier(
                LocalFileCore.EarlierState(
                    checksum: "sum", version: Bench.version, rows: [ByteOrdered("old"): row], intent: intent,
                    hidden: intent.hidden, records: [])))
        bench.store()
        bench.send(.inspected(bench.ticket ?? 0, .found(file: Bench.version, hidden: intent.version)))
        bench.store()
        #expect(bench.effects.contains { if case .remove(_, ["/home/ana/hidden"]) = $0 { true } else { false } })
        bench.send(.removed(bench.ticket ?? 0, isGone: true))
        bench.store()
        #expect(bench.core.state.unwritten == 1 && bench.core.state.hidden.isEmpty && bench.core.state.writes == 1)
    }

    /// An engine of an earlier version has gone on with a file that has a database.
    @Test func anUndecidedConflictOfAnEarlierVersionIsNotWritten() {
        var bench = Bench([Bench.note("a", "theirs")])
        let (theirs, mine) = (Bench.note("a", "theirs"), Bench.note("a", "mine"))
        let conflict = LocalFileState.Conflict(base: Bench.note("a", "before"), local: mine, remote: theirs)
        bench.send(
            .foundEarlier(
                LocalFileCore.EarlierState(
                    checksum: "sum", version: Bench.version,
                    rows: [ByteOrdered("a"): LocalFileState.Row(base: theirs, local: mine)],
                    conflicts: [ByteOrdered("a"): conflict],
                    synced: [ByteOrdered("a"): LocalFileState.Row(base: theirs, local: theirs)])))
        bench.store()
        #expect(bench.core.state.conflicts == [ByteOrdered("a"): conflict] && bench.core.state.unwritten == 1)
    }

    @Test("What an interrupted write has written is known after a restart, also if it was taken back meanwhile")
    func aRowThatAnIntentNeedsStays() {
        var bench = Bench([Bench.note("a", "one")])
        bench.send(
            .pushed(
                2, [LocalFileCore.Edit(id: "a", record: Bench.note("a", "two"))],
                synced: [
                    ByteOrdered("a"): LocalFileState.Row(base: Bench.note("a", "one"), local: Bench.note("a", "one"))
                ]))
        bench.store()
        bench.prepare(as: "second")
        bench.edit(3, Bench.note("a", "one"))
        bench.store()
        var found = bench.core.state
        found.rows = found.rows.filter { found.isNeeded($0.key, $0.value) }
        bench.core = LocalFileCore(path: "/home/ana/paper.pdf", name: "one", policy: ByName())
        bench.send(.started(found, .data, alive: []))
        bench.send(.tick)
        bench.send(
            .inspected(bench.ticket ?? 0, .found(file: Bench.version("second"), hidden: Bench.version("first"))))
        bench.store()
        let row = bench.core.state.rows[ByteOrdered("a")]
        #expect(row?.base?.content["text"]?.string == "two")
        #expect(row?.local?.content["text"]?.string == "one")
    }

    /// As when a disk was pulled out: its folder is there, and empty.
    @Test func aWriteOfWhichNothingIsThereDoesNotCountAsWritten() {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.store()
        bench.prepare(as: "second")
        bench.send(.exchanged(bench.ticket ?? 0, .unclear(.failed("input/output error"))))
        bench.send(.inspected(bench.ticket ?? 0, .found(file: nil, hidden: nil)))
        bench.store()
        #expect(bench.core.state.intent == nil && bench.core.state.unwritten == 1)
    }

    /// A deletion that was in place for a moment does not make the record one of this program's own.
    @Test func aWriteThatWasTakenBackRemembersWhatTheFileHadBefore() {
        let old = Bench.note("a", "one")
        var bench = Bench([old])
        let synced = [ByteOrdered("a"): LocalFileState.Row(base: old, local: old)]
        bench.send(.pushed(3, [LocalFileCore.Edit(id: "a", record: nil)], synced: synced))
        bench.store()
        bench.prepare(as: "second")
        bench.send(.exchanged(bench.ticket ?? 0, .unclear(.failed("input/output error"))))
        bench.send(.inspected(bench.ticket ?? 0, .found(file: nil, hidden: nil)))
        bench.store()
        #expect(bench.core.state.rows[ByteOrdered("a")]?.written?.before.first == .some(old))
    }

    @Test func whatIsPrivateIsNotShared() {
        var bench = Bench(isPrivate: true)
        bench.send(.shared(3, true))
        #expect(bench.answers == [.failed(.openPrivately)])
    }

    // MARK: Time

    /// What fails is tried again with the next tick, so the core asks for one. A file that is not there needs none: its
    /// folder is watched.
    @Test func onlyAFailureNeedsATick() {
        var bench = Bench()
        #expect(!bench.core.needsTime)
        bench.send(.changedOnDisk)
        bench.send(.looked(bench.ticket ?? 0, .failed(.failed("input/output error")), beside: []))
        #expect(bench.core.needsTime)
        bench.send(.tick)
        bench.send(.looked(bench.ticket ?? 0, .failed(.missing), beside: []))
        #expect(!bench.core.needsTime)
        bench.send(.changedOnDisk)
        bench.send(.looked(bench.ticket ?? 0, .same, beside: []))
        #expect(!bench.core.needsTime)
    }

    @Test func aWriteOfWhichNothingIsKnownNeedsATick() {
        var bench = Bench()
        bench.edit(2, Bench.note("a", "one"))
        bench.store()
        bench.prepare(as: "second")
        bench.send(.exchanged(bench.ticket ?? 0, .unclear(.missing)))
        bench.send(.inspected(bench.ticket ?? 0, .failed(.missing)))
        #expect(bench.core.state.intent != nil && bench.core.needsTime)
    }
}
