import Annotations
import FileCore
import Foundation
import Glibc
import SyncProtocol
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// Writing a file that is open, and what is told of it.
@Suite("Writing files that are open", .onOwnThreads) struct LocalFileWritingTests {
    private let scene: LocalFilesScene

    init() async throws { scene = try await LocalFilesScene() }

    private var files: LocalFiles { scene.files }

    /// What other programs and the disk do while the file is written.
    private func set(_ file: LocalFile, _ change: (inout FileWork.Hooks) -> Void) {
        file.work.hooks.withLock { change(&$0) }
    }

    private func contents() throws -> Data { try Data(contentsOf: URL(filePath: scene.path)) }

    // MARK: What is written

    @Test func nothingToWriteWritesNothing() async throws {
        let file = try await scene.open()
        let (before, status) = (try contents(), SeenFile.at(scene.path))
        let written = try await file.write(.init())
        #expect(written.records == 0 && written.conflicts == 0 && written.details.path == scene.path)
        #expect(try contents() == before && SeenFile.at(scene.path) == status && scene.kept.isEmpty)
    }

    @Test func whatIsWrittenIsNoNews() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        try await scene.edit(file, LocalFilesScene.first, "changed")
        let written = try await file.write(.init())
        #expect(written.records == 2 && written.merged == FileNews())
        #expect(try await scene.texts() == ["changed", "new"] && file.state.unwritten == 0)
        await scene.look(file)
        #expect(file.inner.withLock { $0.news.merges } == 0 && scene.hidden.isEmpty)
        try await scene.expectAgreement(file)
        try await scene.edit(file, "new", nil)
        #expect(try await file.write(.init()).details.holdsDeleted)
        #expect(try await file.write(.init(isCompact: true)).details.isRewritten)
        #expect(try await scene.texts() == ["changed"])
        try await scene.expectAgreement(file)
    }

    @Test func whatAnotherProgramSavedIsMergedBeforeWriting() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "mine", "mine")
        try await scene.append("theirs", "theirs")
        let written = try await file.write(.init())
        #expect(written.records == 1 && written.merged.added == 1)
        #expect(try await scene.texts() == ["first", "mine", "theirs"])
        #expect(file.inner.withLock { $0.news.merges } == 1)
        try await scene.expectAgreement(file)
    }

    @Test func aCopyLeavesTheFileAsItIs() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        let (before, copy) = (try contents(), scene.root + "/copy.pdf")
        let written = try await file.write(.init(copy: copy))
        #expect(written.records == 0 && written.details.path == copy)
        #expect(try await scene.texts(at: copy) == ["first", "new"])
        #expect(try contents() == before && file.state.unwritten == 1 && scene.hidden.isEmpty)
        await #expect(throws: OwnFileError.exists) { try await file.write(.init(copy: copy)) }
        try await scene.edit(file, "new", "again")
        _ = try await file.write(.init(copy: copy, isForced: true))
        #expect(try await scene.texts(at: copy) == ["again", "first"])
    }

    /// By a link, by another spelling of the folder, and by its own path.
    @Test(arguments: ["link", "dots", "itself"]) func aCopyToTheFileItselfIsAWrite(_ spelling: String) async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        var target = scene.path
        switch spelling {
        case "link":
            target = scene.root + "/link.pdf"
            #expect(symlink(scene.path, target) == 0)
        case "dots": target = scene.root + "/kept/../run/.././paper.pdf"
        default: break
        }
        let written = try await file.write(.init(copy: target))
        #expect(written.records == 1 && written.details.path == scene.path && file.state.unwritten == 0)
        #expect(try await scene.texts() == ["first", "new"])
    }

    @Test func aMissingFileIsMadeAgainOnlyByForce() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        #expect(unlink(scene.path) == 0)
        await #expect(throws: OwnFileError.missing) { try await file.write(.init()) }
        #expect(file.state.unwritten == 1)
        let copy = scene.root + "/copy.pdf"
        _ = try await file.write(.init(copy: copy))
        #expect(try await scene.texts(at: copy) == ["first", "new"] && access(scene.path, F_OK) != 0)
        #expect(try await file.write(.init(isForced: true)).records == 1)
        #expect(try await scene.texts() == ["first", "new"] && file.state.unwritten == 0)
        try await scene.expectAgreement(file)
    }

    @Test func whatIsKeptOfAMissingFileIsShown() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        await scene.close(file)
        #expect(unlink(scene.path) == 0)
        let again = try await scene.open()
        #expect(again === file && file.inner.withLock { $0.news.problem } == OwnFileError.missing.reason)
        #expect(try scene.layer(file)["new"] == "new")
        try scene.replace(SmallPDF(annotations: [LocalFileScene.note]).bytes)
        try await scene.open()
        #expect(file.inner.withLock { $0.news.problem } == nil)
    }

    /// What is written over a missing file must be what the file was.
    @Test func aDamagedCopyIsNotWritten() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        let copy = try #require(file.state.version.flatMap { file.copies.path(of: $0.contents) })
        var bytes = try Data(contentsOf: URL(filePath: copy))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: copy))
        #expect(unlink(scene.path) == 0)
        await #expect(throws: OwnFileError.copyDamaged(copy)) { try await file.write(.init(isForced: true)) }
        #expect(access(scene.path, F_OK) != 0 && file.state.unwritten == 1)
    }

    /// Another program saves the file before it is written, without anything that has to be found by its words.
    @Test func whatIsToBeWrittenHasToBeFoundByItsWords() async throws {
        let scene = try await LocalFilesScene([])
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        try scene.replace(SmallPDF(annotations: [], word: "Other").bytes)
        _ = try await file.write(.init())
        #expect(try await scene.texts() == ["new"] && file.inner.withLock { $0.news.merges } == 1)
        #expect(try file.inner.withLock(\.hasMarks) && file.store.read { try FileTables($0).meta().hasMarks })
    }

    // MARK: Choices

    private func conflict() async throws -> LocalFile {
        let file = try await scene.open()
        try await scene.edit(file, LocalFilesScene.first, "mine")
        let theirs = LocalFileScene.note.replacingOccurrences(of: "(first)", with: "(theirs)")
        try scene.replace(SmallPDF(annotations: [theirs]).bytes)
        await scene.look(file)
        #expect(file.state.conflicts.count == 1)
        return file
    }

    @Test func aConflictIsNotWritten() async throws {
        let file = try await conflict()
        try await scene.edit(file, "new", "new")
        let written = try await file.write(.init())
        #expect(written.records == 1 && written.conflicts == 1)
        #expect(try await scene.texts() == ["new", "theirs"] && file.state.conflicts.count == 1)
        try await scene.expectAgreement(file)
    }

    @Test(arguments: [LocalFileCore.Choice.local, .remote, .layer])
    func aConflictEndsWithAChoice(_ choice: LocalFileCore.Choice) async throws {
        let file = try await conflict()
        if choice == .layer { try await scene.edit(file, LocalFilesScene.first, "later") }
        try await file.decide(LocalFilesScene.first, choice)
        #expect(file.state.conflicts.isEmpty)
        try await scene.expectAgreement(file)
        _ = try await file.write(.init())
        let expected = [LocalFileCore.Choice.local: "mine", .remote: "theirs", .layer: "later"][choice]
        #expect(try await scene.texts() == [expected] && file.state.unwritten == 0)
        #expect(try scene.layer(file)[LocalFilesScene.first] == expected)
        try await scene.expectAgreement(file)
        await #expect(throws: OwnFileError.decidedUnseen) { try await file.decide("nothing", choice) }
    }

    @Test func revertingGivesUpWhatIsNotInTheFile() async throws {
        let file = try await conflict()
        try await scene.edit(file, "new", "new")
        #expect(try await file.revert() == 2)
        #expect(file.state.unwritten == 0 && file.state.conflicts.isEmpty)
        #expect(try scene.layer(file) == [LocalFilesScene.first: "theirs"])
        try await scene.expectAgreement(file)
        #expect(try await file.revert() == 0)
        await scene.close(file)
        try await scene.gone(file)
        #expect(scene.kept.isEmpty)
    }

    // MARK: An edit in the middle of a write

    /// An edit of a record that is in the file already, stored after the write was planned.
    @Test(arguments: ["changed meanwhile", nil])
    func anEditDuringAWriteIsNotTakenForWritten(_ text: String?) async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note-1", "written")
        #expect(try await file.write(.init()).records == 1)
        try await scene.edit(file, "note-1", "to be written")
        try await scene.edit(file, "note-2", "to be written too")
        let once = Once()
        let turn = DispatchSemaphore(value: 0)
        set(file) {
            $0.beforeExchange = { [scene] () throws(OwnFileError) in
                guard once.isFirst else { return }
                Task {
                    try await scene.edit(file, "note-1", text)
                    turn.signal()
                }
                turn.wait()
            }
        }
        #expect(try await file.write(.init()).records == 2)
        #expect(try await scene.texts() == ["first", "to be written", "to be written too"])
        #expect(file.state.unwritten == 1)
        try await scene.expectAgreement(file)
        _ = try await file.write(.init())
        #expect(try await scene.texts() == (["first", "to be written too"] + (text.map { [$0] } ?? [])).sorted())
        #expect(file.state.unwritten == 0)
        try await scene.expectAgreement(file)
    }

    // MARK: A disk that fails after the file was replaced

    /// A power failure may undo the exchange of the two files, so the changes stay where they are until a sync succeeds.
    @Test func afterAFailedSyncOfTheFolderTheChangesAreKeptUntilOneSucceeds() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note", "written")
        set(file) { $0.beforeSync = { () throws(OwnFileError) in throw .failed(EIO) } }
        let error = await #expect(throws: OwnFileError.self) { try await file.write(.init()) }
        #expect(error == .notSynced(EIO) && error?.description.contains("as it was") == false)
        #expect(try await scene.texts().contains("written"))
        #expect(file.state.unwritten == 1 && file.state.intent != nil)
        // The next engine finds it out, too.
        let next = try scene.next()
        let again = try await next.open()
        #expect(again.state.unwritten == 0 && again.state.intent == nil)
        // It is this program's own write, not that of another one.
        #expect(again.inner.withLock { $0.news.merges } == 0)
        #expect(try await again.write(.init()).records == 0)
        await next.quiet(again)
        #expect(scene.hidden.isEmpty)
    }

    @Test func afterAFailedSyncTheSameEngineFindsOutToo() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note", "written")
        set(file) { $0.beforeSync = { () throws(OwnFileError) in throw .failed(EIO) } }
        await #expect(throws: OwnFileError.notSynced(EIO)) { try await file.write(.init()) }
        set(file) { $0 = .init() }
        await files.tickNow()
        await scene.quiet(file)
        #expect(file.state.unwritten == 0 && file.state.intent == nil)
        #expect(file.inner.withLock { $0.news.merges } == 0 && scene.hidden.isEmpty)
        #expect(try await file.write(.init()).records == 0)
        try await scene.expectAgreement(file)
    }

    /// What has happened, is told by the file alone.
    @Test func anErrorAfterTheExchangeDoesNotMakeAWriteUndone() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note", "written")
        set(file) { $0.afterExchange = { (_: String) throws(OwnFileError) in throw .failed(EIO) } }
        #expect(try await file.write(.init()).records == 1)
        #expect(try await scene.texts().contains("written"))
        await scene.quiet(file)
        #expect(file.state.unwritten == 0 && file.state.intent == nil && scene.hidden.isEmpty)
    }

    /// It has replaced the file right before the exchange.
    @Test func whatAnotherProgramWroteIsPutBackAfterAnError() async throws {
        let file = try await scene.open()
        let theirs = try contents() + Data("\n% theirs\n".utf8)
        try await scene.edit(file, "note", "waits")
        let once = Once()
        set(file) {
            $0.afterExchange = { (beside: String) throws(OwnFileError) in
                guard once.isFirst else { return }
                try? theirs.write(to: URL(filePath: beside))
                throw .failed(EIO)
            }
        }
        await #expect(throws: OwnFileError.failed(EIO)) { try await file.write(.init()) }
        await scene.quiet(file)
        #expect(try contents() == theirs && file.state.unwritten == 1 && file.state.intent == nil)
        set(file) { $0 = .init() }
        #expect(try await file.write(.init()).records == 1)
        #expect(try await scene.texts().contains("waits"))
        await scene.quiet(file)
        #expect(scene.hidden.isEmpty)
    }

    /// As long as the disk does not tell what has happened, nothing is given up; and a copy can be made all the same.
    @Test func whatIsUndecidedStaysUntilItIsDecided() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "note", "written")
        let aside = Mutex("")
        set(file) {
            $0.afterExchange = { (beside: String) throws(OwnFileError) in
                // In place of a file that cannot be read.
                guard rename(beside, beside + ".aside") == 0, mkdir(beside, 0o700) == 0 else { throw .failed(errno) }
                // The path given leads through a descriptor.
                aside.withLock { $0 = beside.split(separator: "/").last.map(String.init) ?? "" }
                throw .failed(EIO)
            }
        }
        let problem = OwnFileError.undecided(OwnFileError.notAFile.reason)
        await #expect(throws: problem) { try await file.write(.init()) }
        #expect(!problem.description.contains("as it was"))
        set(file) { $0 = .init() }
        await #expect(throws: problem) { try await file.write(.init()) }
        #expect(file.state.unwritten == 1 && file.state.intent != nil)
        let copy = scene.root + "/copy.pdf"
        _ = try await file.write(.init(copy: copy))
        #expect(try await scene.texts(at: copy).contains("written") && file.state.intent != nil)
        let beside = scene.root + "/" + aside.withLock { $0 }
        #expect(rmdir(beside) == 0 && rename(beside + ".aside", beside) == 0)
        #expect(try await file.write(.init()).records == 0)
        // Looking back by itself may have failed after this was asked. Then the rest waits for a tick.
        file.send(.tick)
        await scene.quiet(file)
        #expect(file.state.unwritten == 0 && scene.hidden.isEmpty)
        #expect(try await scene.texts().count { $0 == "written" } == 1)
    }
}

extension SeenFile {
    fileprivate static func at(_ path: String) -> SeenFile? {
        var status = stat()
        return stat(path, &status) == 0 ? SeenFile(status) : nil
    }
}
