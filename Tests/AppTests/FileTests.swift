import Annotations
import Authorization
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// A PDF of one's own: what is not in it is counted, `:w` writes, `:revert` asks, and nothing else writes.
@Suite struct FileTests {
    static let status = FileStatus(path: "paper.pdf", condition: .ready, unwritten: 3)
    static let refusal = FileRefusal(
        FileWrite(), path: "paper.pdf", reason: "paper.pdf belongs to root.", otherPath: "paper-annotated.pdf")
    static let files = [
        LibraryFile(path: "draft.pdf", bytes: 309_000, modified: .noon + -7_200_000, unwritten: 2),
        LibraryFile(path: "paper.pdf", bytes: 1_200_000, modified: .noon + -86_400_000),
        LibraryFile(path: "~/old/thesis.pdf", unwritten: 4, isMissing: true),
    ]

    static func services(_ status: FileStatus = status) -> FakeServices {
        let services = Sample.services()
        services.opened.reference = LayerReference(server: "", documentID: "/home/mia/paper.pdf")
        services.opened.title = nil
        services.opened.file = status
        services.unread = []
        return services
    }

    static func stage(_ status: FileStatus = status, rows: Int = 24, columns: Int = 80) -> Stage {
        let services = services(status)
        return Stage(services, begin: .file("paper.pdf"), rows: rows, columns: columns)
    }

    static func writes(_ stage: Stage) -> [FileWrite] {
        stage.asked.compactMap { if case .writeFile(let write) = $0 { write } else { nil } }
    }

    static func written(
        _ write: FileWrite = FileWrite(), path: String = "paper.pdf", changes: Int = 3,
        form: FileWritten.Form = .appended(holdsDeleted: false), leftOut: [String] = []
    ) -> Message {
        .fileWritten(FileWritten(write, path: path, changes: changes, form: form, leftOut: leftOut))
    }

    // MARK: What is shown

    @Test(arguments: [(20, 40), (24, 80), (40, 120)])
    func whatIsNotInTheFileIsCounted(rows: Int, columns: Int) {
        let stage = Self.stage(rows: rows, columns: columns)
        #expect(stage.statusLine.contains("3 not in the file (:w)"), "\(stage.statusLine)")
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .ready)))
        #expect(!stage.screen.contains("in the file"))
    }

    @Test func nothingIsSaidOfAServer() {
        let stage = Self.stage()
        #expect(!["synced", "token", "READ-ONLY", "LOCAL", "default layer"].contains { stage.screen.contains($0) })
        #expect(stage.lines[0].hasPrefix(" paper.pdf "))
    }

    @Test func theConditionsOfTheFile() {
        let stage = Self.stage()
        func line(_ condition: FileStatus.Condition, _ count: Int = 3) -> String {
            stage.send(.file(FileStatus(path: "paper.pdf", condition: condition, unwritten: count)))
            return stage.state.document.map { document in
                var line = StatusLine(stage.state, document, art: .unicode, hasTitle: true)
                line.fit(columns: 80)
                return line.parts.map(\.forms[0].string).joined(separator: " | ")
            } ?? ""
        }
        #expect(line(.writing) == "writing")
        #expect(line(.merging) == "changed on disk, reading it")
        #expect(line(.missing) == "FILE MISSING | 3 not in the file (:w FILE.pdf)")
        #expect(line(.missing, 0) == "FILE MISSING")
        #expect(line(.unwritable("it belongs to root"), 0) == "file cannot be written")
        #expect(line(.opening) == "opening for editing")
        #expect(line(.readOnly("the engine cannot start")) == "READ-ONLY | the engine cannot start")
    }

    @Test func changesOfTheConditionAreToldOnce() throws {
        let stage = Self.stage()
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .missing, unwritten: 3)))
        #expect(
            stage.foot == " paper.pdf is missing; 3 changes kept; :w! writes it again, :w FILE.pdf writes a copy")
        stage.now = .noon + 5_000
        try stage.press("j")
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .missing, unwritten: 4)))
        #expect(!stage.foot.contains("missing"))
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .ready, unwritten: 4)))
        #expect(stage.foot == " paper.pdf is there again")
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .unwritable("the folder is read-only"))))
        #expect(
            stage.foot == " paper.pdf cannot be written: the folder is read-only; :w FILE.pdf writes a copy")
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .readOnly("paper.pdf: no such file"))))
        #expect(stage.foot == " paper.pdf can only be read: paper.pdf: no such file")
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .ready)))
        #expect(stage.foot == " paper.pdf can be edited now")
    }

    @Test func itCanBeEditedWhateverHappensToTheFile() throws {
        for condition: FileStatus.Condition in [
            .ready, .writing, .merging, .missing, .unwritable("it belongs to root"),
        ] {
            let stage = Self.stage(FileStatus(path: "paper.pdf", condition: condition))
            try stage.press("aA thought<enter>")
            #expect(stage.asked.contains { if case .perform = $0 { true } else { false } }, "\(condition)")
        }
    }

    @Test(arguments: ["S", "T", "P", "F", ":offline<enter>", ":forget-token<enter>"])
    func whatIsForServersSaysSo(keys: String) throws {
        let stage = Self.stage()
        let asked = stage.asked.count
        try stage.press(keys)
        #expect(stage.foot == " This is a file of your own, not a layer on a server")
        #expect(!stage.asked.dropFirst(asked).contains { [.syncNow, .setOnline(false), .forgetToken].contains($0) })
    }

    // MARK: Writing

    @Test(arguments: [
        (":w", FileWrite()), (":write", FileWrite()), (":w!", FileWrite(isForced: true)),
        (":w copy.pdf", FileWrite(copy: "copy.pdf")), (":w a b.pdf", FileWrite(copy: "a b.pdf")),
        (#":w "a b.pdf""#, FileWrite(copy: "a b.pdf")), (":w! copy.pdf", FileWrite(copy: "copy.pdf", isForced: true)),
        (":w --compact", FileWrite(isCompact: true)),
        (":w! --compact ~/c.pdf", FileWrite(copy: "~/c.pdf", isForced: true, isCompact: true)),
    ])
    func theCommandsThatWrite(line: String, write: FileWrite) throws {
        let stage = Self.stage()
        try stage.press(line + "<enter>")
        #expect(Self.writes(stage) == [write])
        #expect(!stage.state.hasQuit)
    }

    @Test(arguments: [":w --compat", ":wq copy.pdf", ":wx", ":revert! x", ":q!"])
    func whatIsMeantOtherwiseWritesNothing(line: String) throws {
        let stage = Self.stage()
        try stage.press(line + "<enter>")
        #expect(Self.writes(stage).isEmpty && !stage.state.hasQuit)
        #expect(stage.state.notice?.kind == .warning)
    }

    @Test func whatWasWrittenIsSaid() {
        let stage = Self.stage()
        func said(_ message: Message) -> String {
            stage.send(message)
            return stage.foot
        }
        #expect(said(Self.written()) == " Wrote 3 changes to paper.pdf")
        #expect(said(Self.written(changes: 1)) == " Wrote 1 change to paper.pdf")
        #expect(
            said(Self.written(form: .appended(holdsDeleted: true)))
                == " Wrote 3 changes to paper.pdf; it still contains deleted notes (:w --compact removes them)")
        #expect(
            said(Self.written(form: .rewritten("it is encrypted")))
                == " Wrote 3 changes to paper.pdf; written anew because it is encrypted")
        #expect(said(Self.written(changes: 0, form: .unchanged)) == " paper.pdf has every change already")
        #expect(
            said(Self.written(FileWrite(copy: "c.pdf"), path: "c.pdf")) == " Wrote a copy with every change: c.pdf")
        #expect(
            said(Self.written(leftOut: ["2 sounds", "1 form field"]))
                == " Wrote 3 changes to paper.pdf; left out, and kept here: 2 sounds, 1 form field")
        #expect(stage.state.notice?.kind == .warning)
        var written = FileWritten(FileWrite(), path: "paper.pdf", changes: 3, form: .appended(holdsDeleted: false))
        written.groups = 2
        #expect(said(.fileWritten(written)) == " Wrote 3 changes to paper.pdf; 2 records without their groups")
        #expect(stage.state.notice?.kind == .warning)
    }

    @Test func aLayerOnAServerIsNotWritten() throws {
        let stage = Stage(Sample.services())
        try stage.press(":w<enter>")
        #expect(stage.foot == " This layer is on a server, not in a file; postilla export writes a PDF")
        try stage.press(":revert<enter>")
        #expect(stage.state.prompt == nil && stage.foot.hasPrefix(" This layer is on a server"))
        #expect(!stage.state.typedCommands.contains(.write))
    }

    // MARK: A refusal

    @Test func aRefusalSaysWhyAndOffersAnotherPath() throws {
        let stage = Self.stage(columns: 120)
        try stage.press(":w<enter>")
        stage.send(.fileRefused(Self.refusal))
        #expect(
            stage.foot
                == " Not written: paper.pdf belongs to root; :w paper-annotated.pdf to write a copy")
        #expect(stage.lines.last?.contains("? why") == true)
        try stage.press("?")
        #expect(stage.boxTitle == "Why this is refused")
        #expect(
            stage.box == [
                "Not written: paper.pdf", "", "paper.pdf belongs to root.", "",
                "3 changes kept on this machine; nothing is lost.", "", "  :w paper-annotated.pdf",
                "                       write a copy",
            ])
        // The offered path is completed first.
        try stage.press("<esc>:w <tab>")
        #expect(stage.state.prompt?.input.text == "w paper-annotated.pdf")
        try stage.press("<enter>")
        #expect(Self.writes(stage).last == FileWrite(copy: "paper-annotated.pdf"))
        // A key in between: ? lists the keys again.
        stage.send(.fileRefused(Self.refusal))
        try stage.press("j?")
        #expect(stage.boxTitle != "Why this is refused")
    }

    @Test func whatForceWouldDo() {
        let stage = Self.stage(columns: 120)
        let write = FileWrite(copy: "c.pdf")
        stage.send(
            .fileRefused(FileRefusal(write, path: "c.pdf", reason: "c.pdf exists.", force: "replace it")))
        #expect(stage.foot == " Not written: c.pdf exists; :w! c.pdf to replace it")
    }

    @Test func aRefusalInAnotherTabIsNotWhatHelpExplains() throws {
        let stage = Self.stage()
        try stage.press(":open other.pdf<enter>")
        stage.send(
            .at(LayerReference(server: "", documentID: "/home/mia/paper.pdf"), .fileRefused(Self.refusal)))
        #expect(stage.foot.contains("belongs to root"))
        try stage.press("?")
        #expect(stage.boxTitle != "Why this is refused")
    }

    // MARK: Leaving

    @Test func qNeitherAsksNorWrites() throws {
        let stage = Self.stage()
        try stage.press("q")
        #expect(stage.state.hasQuit && Self.writes(stage).isEmpty)
        #expect(
            stage.state.farewell == "paper.pdf: 3 changes kept, not in the file; run postilla write paper.pdf")
    }

    @Test func theCommandInTheFarewellIsOneForAShell() {
        func farewell(_ path: String) -> String? {
            FileStatus(path: path, condition: .ready, unwritten: 1).farewell.map {
                String($0.split(separator: "run ").last ?? "")
            }
        }
        #expect(farewell("my paper.pdf") == "postilla write 'my paper.pdf'")
        #expect(farewell("it's.pdf") == #"postilla write 'it'\''s.pdf'"#)
        #expect(farewell("-x.pdf") == "postilla write ./-x.pdf")
        #expect(farewell("~/x.pdf") == "postilla write '~/x.pdf'")
        #expect(farewell("Übung/α.pdf") == "postilla write Übung/α.pdf")
        #expect(FileStatus(path: "a.pdf", condition: .ready).farewell == nil)
        #expect(
            FileStatus(path: "a.pdf", condition: .missing, unwritten: 2).farewell
                == "a.pdf: 2 changes kept; the file is missing")
    }

    @Test func wqLeavesOnceEverythingIsWritten() throws {
        let stage = Self.stage()
        try stage.press(":wq<enter>")
        #expect(Self.writes(stage) == [FileWrite()] && !stage.state.hasQuit)
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .ready)))
        stage.send(Self.written())
        #expect(stage.state.hasQuit && stage.asked.suffix(2) == [.closeLayer, .quit])
        #expect(stage.state.farewell == "Wrote 3 changes to paper.pdf")
    }

    @Test func wqStaysIfNothingIsWritten() throws {
        let stage = Self.stage()
        try stage.press(":wq<enter>")
        stage.send(.fileRefused(Self.refusal))
        #expect(!stage.state.hasQuit && stage.foot.contains("belongs to root"))
        // A later write does not leave.
        try stage.press(":w!<enter>")
        stage.send(Self.written())
        #expect(!stage.state.hasQuit)
    }

    @Test func aKeyAfterWqMeansToStay() throws {
        let stage = Self.stage()
        try stage.press(":wq<enter>j")
        stage.send(Self.written())
        #expect(!stage.state.hasQuit)
    }

    @Test func wqWaitsForEditsThatAreBeingSaved() throws {
        let stage = Self.stage()
        stage.services.holdsEdits = true
        try stage.press("aA thought<enter>:wq<enter>")
        stage.send(Self.written())
        #expect(!stage.state.hasQuit)
        stage.saveHeld()
        #expect(stage.state.hasQuit)
    }

    @Test func leavingWaitsForAWriteAndStaysIfItIsRefused() throws {
        let stage = Self.stage()
        try stage.press(":w<enter>q")
        #expect(!stage.state.hasQuit && stage.foot == " Writing the file before leaving")
        stage.send(.fileRefused(Self.refusal))
        #expect(!stage.state.hasQuit)
        try stage.press(":w<enter>q")
        stage.send(Self.written())
        #expect(stage.state.hasQuit)
        #expect(stage.state.farewell?.hasPrefix("Wrote 3 changes to paper.pdf") == true)
    }

    @Test func aSignalDoesNotWaitForAWrite() throws {
        let stage = Self.stage()
        try stage.press(":w<enter>")
        stage.send(.terminate)
        #expect(stage.state.hasQuit)
    }

    @Test func wqInOneOfSeveralTabsClosesItAndSaysSo() throws {
        let stage = Stage(Self.services(), begin: .library)
        stage.services.files = []
        try stage.press("opaper.pdf<enter>")
        stage.services.fileStatus = Self.status
        try stage.press(":open two.pdf<enter>:wq<enter>")
        stage.send(Self.written(path: "two.pdf"))
        #expect(!stage.state.hasQuit && stage.state.openCount == 1)
        #expect(stage.foot.contains("Wrote 3 changes to two.pdf"))
        try stage.press(":quit<enter>")
        // The notice was read; only what is kept is said at the end.
        #expect(
            stage.state.farewell == "paper.pdf: 3 changes kept, not in the file; run postilla write paper.pdf")
    }

    // MARK: Reverting

    @Test func revertAsks() throws {
        let stage = Self.stage()
        try stage.press(":revert<enter>")
        #expect(stage.foot == "Discard 3 changes not in paper.pdf? y/N")
        try stage.press("<esc>")
        #expect(!stage.asked.contains(.revertFile))
        try stage.press(":revert<enter>y")
        #expect(stage.asked.last == .revertFile)
        stage.send(.fileReverted(changes: 3))
        #expect(stage.foot == " Discarded 3 changes; the annotations are those of paper.pdf")
        stage.send(.fileNotReverted("the file cannot be read."))
        #expect(stage.foot == " Not reverted: the file cannot be read.")
    }

    @Test func afterRevertingThereIsNothingToUndo() throws {
        let stage = Self.stage()
        try stage.press("aA thought<enter>:revert<enter>y")
        stage.send(.fileReverted(changes: 4))
        try stage.press("u")
        #expect(stage.foot == " Nothing to undo")
    }

    @Test func theStepsOfAnEarlierWindowCanBeUndone() throws {
        let stage = Self.stage(FileStatus(path: "paper.pdf", condition: .opening))
        stage.send(.undoable([EditStep(id: 1, edits: [.delete("h2")], summary: "note")]))
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .ready)))
        try stage.press("u")
        #expect(stage.asked.last == .undo(step: 1))
    }

    @Test func whereNothingCanBeRevertedItDoesNotAsk() throws {
        let stage = Self.stage(FileStatus(path: "paper.pdf", condition: .ready))
        try stage.press(":revert<enter>")
        #expect(stage.foot == " Nothing to revert: paper.pdf has every change")
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .missing, unwritten: 2)))
        try stage.press(":revert<enter>")
        #expect(stage.foot == " paper.pdf is missing: there is nothing to go back to")
        #expect(stage.state.prompt == nil && !stage.asked.contains(.revertFile))
    }

    // MARK: Changed by another program

    @Test func whatCameFromTheFileIsCounted() {
        func said(_ merge: FileMerge) -> String {
            let stage = Self.stage(columns: 140)
            stage.send(.fileMerged(merge))
            return stage.foot
        }
        #expect(
            said(FileMerge(added: 4, changed: 1, deleted: 2))
                == " paper.pdf changed on disk: 4 annotations added, 1 changed, 2 deleted")
        #expect(said(FileMerge()) == " paper.pdf changed on disk; its annotations are the same")
        #expect(
            said(FileMerge(changed: 1, conflicts: 2))
                == " paper.pdf changed on disk: 1 annotation changed; 2 in conflict with yours; "
                + "O to compare (nothing is lost)")
        #expect(
            said(FileMerge(added: 1, lostMarks: 2))
                == " paper.pdf changed on disk: 1 annotation added; 2 marks without their words (:lost-marks)")
    }

    @Test func aConflictShowsTheCard() throws {
        let services = Self.services()
        services.outbox = [
            OutboxItem(
                id: "n1", action: .update, kind: .note, pageIndex: 1, delivery: .conflict,
                base: OutboxTests.note("the base"), mine: OutboxTests.note("my text"),
                theirs: OutboxTests.note("her text"), theirAuthor: "ana")
        ]
        let stage = Stage(services, begin: .file("paper.pdf"))
        var status = Self.status
        status.conflicts = 1
        stage.send(.file(status))
        stage.send(.fileMerged(FileMerge(conflicts: 1)))
        #expect(stage.statusLine.contains("1 in conflict") && stage.foot.contains("O to compare"))
        try stage.press("O")
        #expect(stage.screen.contains("Conflicts: 1") && !stage.screen.contains("Unsent"))
        try stage.press("<enter>")
        #expect(stage.boxTitle.contains("ana changed the same note"))
        try stage.press("m")
        #expect(stage.asked.contains(.resolve("n1", .mine, of: services.outbox[0].sides)))
    }

    @Test func marksWithoutWordsAreListedAndFound() throws {
        var status = Self.status
        status.lostMarks = [
            LostMark(id: "n1", kind: .highlight, pageIndex: 1, words: "the old words"),
            LostMark(id: "u1", kind: .underline, pageIndex: nil, words: "others"),
        ]
        let stage = Self.stage(status)
        #expect(stage.statusLine.contains("2 marks without words"))
        try stage.press(":lost-marks<enter>")
        #expect(stage.boxTitle.hasPrefix("Marks whose words were not found"))
        #expect(stage.box.contains { $0.contains("highlight “the old words”") && $0.contains("was on page 2") })
        try stage.press("<enter>")
        #expect(stage.state.document?.list.cursorID == "n1")
        stage.send(.file(Self.status))
        try stage.press(":lost-marks<enter>")
        #expect(stage.foot == " No mark is known to have lost its words")
    }

    // MARK: Paths and help

    @Test func pathsAreCompleted() throws {
        let stage = Self.stage()
        stage.services.paths = ["papers/", "plan.pdf", "plan.txt"]
        try stage.press(":w p<tab>")
        #expect(stage.state.prompt?.input.text == "w papers/")
        try stage.press("<tab>")
        #expect(stage.state.prompt?.input.text == "w plan.pdf")
        try stage.press("<esc>:w! --compact pl<tab>")
        #expect(stage.state.prompt?.input.text == "w! --compact plan.pdf")
        try stage.press("<esc>:w --<tab>")
        #expect(stage.state.prompt?.input.text == "w --compact")
    }

    @Test func helpAndPaletteHaveTheCommandsOfTheirKindOnly() throws {
        let stage = Self.stage(rows: 100, columns: 120)
        try stage.press("?")
        #expect(stage.screen.contains("Your own PDF") && stage.screen.contains("3 not in the file"))
        #expect(stage.state.typedCommands.contains(.revert) && !stage.state.typedCommands.contains(.offline))
        try stage.press("<esc><C-p>write")
        #expect(stage.box.contains { $0.contains(":write") })
        let other = Stage(Sample.services(), rows: 100, columns: 120)
        try other.press("?")
        #expect(!other.screen.contains("Your own PDF"))
    }
}
