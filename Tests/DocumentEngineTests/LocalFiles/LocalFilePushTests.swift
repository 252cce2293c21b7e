import Annotations
import EngineCore
import FileCore
import Foundation
import Glibc
import SyncProtocol
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// What windows send, and what is stored of it.
@Suite("Pushes to local files", .onOwnThreads) struct LocalFilePushTests {
    private let scene: LocalFilesScene

    init() async throws { scene = try await LocalFilesScene() }

    private var files: LocalFiles { scene.files }

    // MARK: One transaction

    /// The commit itself fails, after everything was written.
    @Test func aPushThatIsNotCommittedLeavesNothing() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        try file.store.write { try $0.failCommits() }
        await #expect(throws: (any Error).self) { try await scene.edit(file, "lost", "lost") }
        #expect(try scene.layer(file)["lost"] == nil && file.state.unwritten == 1)
        try await scene.expectAgreement(file)
        try file.store.write { try $0.letCommits() }
        try await scene.edit(file, "lost", "here after all")
        #expect(file.state.unwritten == 2)
        try await scene.expectAgreement(file)
        let again = try await scene.next().open()
        #expect(again.state == file.state)
    }

    /// The first note is also the first thing that may have to be found by its words.
    @Test func theFirstPushThatIsNotCommittedLeavesNothing() async throws {
        let scene = try await LocalFilesScene([])
        let file = try await scene.open()
        #expect(try file.store.read { try FileTables($0).meta().hasMarks } == false)
        try file.store.write { try $0.failCommits() }
        await #expect(throws: (any Error).self) { try await scene.edit(file, "note", "lost") }
        try await scene.expectAgreement(file)
        try file.store.write { try $0.letCommits() }
        try await scene.edit(file, "note", "here after all")
        try await scene.expectAgreement(file)
        #expect(try file.store.read { try FileTables($0).meta().hasMarks } == true)
    }

    /// What the core has begun ends, too.
    @Test func aPushThatFailsWithinItsTransactionHoldsNothingUp() async throws {
        let scene = try await LocalFilesScene([])
        let file = try await scene.open()
        try file.store.write {
            try FileTables($0).transaction.run("UPDATE file_meta SET checksum = checksum + 1 WHERE name = 'facts'")
        }
        await #expect(throws: (any Error).self) { try await scene.edit(file, "note", "lost") }
        #expect(!file.inner.withLock { $0.core.isStoring })
        try file.store.write {
            try FileTables($0).transaction.run("UPDATE file_meta SET checksum = checksum - 1 WHERE name = 'facts'")
        }
        try await scene.edit(file, "note", "here after all")
        #expect(file.state.unwritten == 1)
        try await scene.expectAgreement(file)
    }

    @Test func aPushThatChangesNothingIsAnswered() async throws {
        let file = try await scene.open()
        let change = Change(n: 1, kind: .delete, id: "nothing", baseRevision: 1)
        let answer = try await scene.push(file, [change])
        #expect(answer.results.map(\.status) == [.gone] && file.state.unwritten == 0)
        try await scene.expectAgreement(file)
        await scene.close(file)
        try await scene.gone(file)
        #expect(scene.kept.isEmpty)
    }

    @Test func aStateThatCannotBeStoredNamesItsFolder() async throws {
        let file = try await scene.open()
        let kept = files.options.keptFolder
        try FileManager.default.removeItem(atPath: kept)
        #expect(FileManager.default.createFile(atPath: kept, contents: nil))
        await #expect {
            try await scene.edit(file, "note", "lost")
        } throws: {
            guard case .notKept(let problem) = $0 as? OwnFileError else { return false }
            return problem.folder == kept
        }
        #expect(unlink(kept) == 0 && file.state.unwritten == 0)
        try await scene.edit(file, "note", "here after all")
        #expect(file.state.unwritten == 1 && file.store.place == .data)
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aFullDiskIsNamedAndThePushWorksOnceItHasRoom() async throws {
        let disk = try TinyDisk(kilobytes: 64)
        let scene = try await LocalFilesScene(kept: disk.path)
        let file = try await scene.open()
        func isFull(_ error: any Error) -> Bool {
            error as? OwnFileError == .notKept(PlaceProblem(folder: disk.path, code: ENOSPC))
        }
        await #expect { try await scene.edit(file, "note", "lost") } throws: { isFull($0) }
        #expect(file.state.unwritten == 0)
        try disk.grow(toKilobytes: 4096)
        try await scene.edit(file, "note", "here after all")
        #expect(file.store.place == .data && file.state.unwritten == 1)
        // In the middle of its life, too.
        let filler = disk.path + "/filler"
        try disk.grow(toKilobytes: 1024)
        try? Data(count: 2 << 20).write(to: URL(filePath: filler))
        fill(filler)
        let text = String(repeating: "much ", count: 20_000)
        await #expect { try await scene.edit(file, "more", text) } throws: { isFull($0) }
        try await scene.expectAgreement(file)
        #expect(unlink(filler) == 0)
        try await scene.edit(file, "more", text)
        try await scene.expectAgreement(file)
        #expect(file.state.unwritten == 2)
    }

    private func fill(_ path: String) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let bytes = [UInt8](repeating: 0, count: 4096)
        while Glibc.write(descriptor, bytes, bytes.count) > 0 {}
        Glibc.close(descriptor)
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aFolderThatIsReadOnlyIsNamed() async throws {
        let disk = try TinyDisk(kilobytes: 256)
        let scene = try await LocalFilesScene(kept: disk.path)
        let file = try await scene.open()
        try disk.makeReadOnly()
        let problem = OwnFileError.notKept(PlaceProblem(folder: disk.path, code: EROFS))
        await #expect(throws: problem) { try await scene.edit(file, "note", "lost") }
        try await scene.expectAgreement(file)
    }

    // MARK: At the same time

    /// Windows push while another program saves the file again and again, and it is written.
    @Test func nothingIsLostWhilePushesAndMergesMeet() async throws {
        let file = try await scene.open()
        try await withThrowingTaskGroup(of: Void.self) { [scene] group in
            for window in 0..<2 {
                group.addTask {
                    for number in 0..<12 {
                        try await scene.edit(file, "w\(window)-\(number % 6)", "w\(window)-\(number)")
                    }
                }
            }
            group.addTask {
                for number in 0..<4 {
                    try await scene.append("other-\(number)", "other-\(number)")
                    file.send(.changedOnDisk)
                }
            }
            try await group.waitForAll()
        }
        await scene.look(file)
        try await scene.expectAgreement(file)
        let mine = (0..<2).flatMap { window in (6..<12).map { "w\(window)-\($0)" } }
        let all = (mine + (0..<4).map { "other-\($0)" } + ["first"]).sorted()
        #expect(try scene.layer(file).values.sorted() == all && file.state.unwritten == 12)
        _ = try await file.write(.init())
        #expect(try await scene.texts() == all && file.state.unwritten == 0 && file.state.conflicts.isEmpty)
        try await scene.expectAgreement(file)
    }

    @Test func pushesAndWritesMeet() async throws {
        let file = try await scene.open()
        try await withThrowingTaskGroup(of: Void.self) { [scene] group in
            for window in 0..<3 {
                group.addTask {
                    for number in 0..<10 { try await scene.edit(file, "w\(window)", "w\(window)-\(number)") }
                }
            }
            group.addTask { for _ in 0..<5 { _ = try await file.write(.init()) } }
            try await group.waitForAll()
        }
        try await scene.expectAgreement(file)
        _ = try await file.write(.init())
        #expect(try await scene.texts() == ["first", "w0-9", "w1-9", "w2-9"] && file.state.unwritten == 0)
        #expect(scene.hidden.isEmpty)
        try await scene.expectAgreement(file)
    }

    /// The other program and a window change the same note.
    @Test func bothChangesOfANoteAreKeptForAChoice() async throws {
        let file = try await scene.open()
        let changed = LocalFileScene.note.replacingOccurrences(of: "(first)", with: "(theirs)")
        try await scene.edit(file, LocalFilesScene.first, "mine")
        try scene.replace(SmallPDF(annotations: [changed]).bytes)
        await scene.look(file)
        #expect(file.state.conflicts.count == 1 && file.state.unwritten == 1)
        try await scene.expectAgreement(file)
    }

    // MARK: Of several engines

    @Test func anEngineThatWasReplacedStoresNothingMore() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        let next = try scene.next()
        let again = try await next.open()
        #expect(again.document == file.document)
        await #expect(throws: OwnFileError.notOpen) { try await scene.edit(file, "lost", "lost") }
        // Neither hangs, nor is the file taken for another one.
        await #expect(throws: OwnFileError.notOpen) { try await scene.edit(file, "lost", "lost again") }
        await #expect(throws: OwnFileError.notOpen) { try await file.write(.init()) }
        await #expect(throws: OwnFileError.notOpen) { try await scene.open() }
        try await next.edit(again, "more", "more")
        #expect(try next.layer(again) == [LocalFilesScene.first: "first", "kept": "kept", "more": "more"])
        try await next.expectAgreement(again)
    }

    /// What has begun is answered.
    @Test func aWriteOfAnEngineThatWasReplacedFails() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        let next = try scene.next()
        let again = try await next.open()
        await #expect(throws: OwnFileError.notOpen) { try await file.write(.init()) }
        await #expect(throws: OwnFileError.notOpen) { try await scene.edit(file, "lost", "lost") }
        #expect(try await again.write(.init()).records == 1)
        #expect(try await scene.texts() == ["first", "kept"] && scene.hidden.isEmpty)
    }

    @Test func anEngineThatIsStoppedAnswersWhatWaits() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        files.stop()
        await #expect(throws: OwnFileError.notOpen) { try await scene.edit(file, "lost", "lost") }
        await #expect(throws: OwnFileError.notOpen) { try await file.write(.init()) }
        await #expect(throws: OwnFileError.notOpen) { try await scene.open() }
    }
}

extension StoreWriting {
    /// Lets each commit fail that changes a row, at its very end.
    fileprivate func failCommits() throws {
        let transaction = try FileTables(self).transaction
        try transaction.run("CREATE TABLE promise (id INTEGER PRIMARY KEY)")
        try transaction.run(
            "CREATE TABLE broken (id INTEGER REFERENCES promise (id) DEFERRABLE INITIALLY DEFERRED)")
        try transaction.run(
            "CREATE TRIGGER breaking AFTER INSERT ON file_row BEGIN INSERT INTO broken VALUES (1); END")
        try transaction.run(
            "CREATE TRIGGER breaking_too AFTER UPDATE ON file_row BEGIN INSERT INTO broken VALUES (1); END")
    }

    fileprivate func letCommits() throws {
        let transaction = try FileTables(self).transaction
        try transaction.run("DROP TRIGGER breaking")
        try transaction.run("DROP TRIGGER breaking_too")
        try transaction.run("DROP TABLE broken")
        try transaction.run("DROP TABLE promise")
    }
}
