import Annotations
import FileCore
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// What an engine finds that starts where another one was killed.
@Suite("Local files of an earlier engine", .onOwnThreads) struct FoundFilesTests {
    private let scene: LocalFilesScene

    init() async throws { scene = try await LocalFilesScene() }

    private var data: String { scene.files.options.keptFolder }
    private var runtime: String { scene.files.options.memoryFolder }

    private func copy(_ folder: String, to other: String) throws {
        try FileManager.default.copyItem(atPath: folder, toPath: other)
    }

    @Test func whatWasInMemoryIsFoundAndForgottenOnceItIsClosed() async throws {
        let file = try await scene.open()
        let next = try scene.next()
        try await next.files.prepare()
        #expect(next.files.all.map(\.document) == [file.document] && next.kept.isEmpty)
        let again = try await next.open()
        #expect(try again.document == file.document && next.layer(again) == [LocalFilesScene.first: "first"])
        try await next.edit(again, "new", "new")
        #expect(next.kept == [file.document])
        _ = try await again.write(.init())
        await next.close(again)
        try await next.gone(again)
        #expect(next.kept.isEmpty && !next.running.contains(file.document))
    }

    /// It has more than the one in memory, of which it was copied.
    @Test func ifTheDatabaseWasBeingMovedTheOneOnDiskCounts() async throws {
        let file = try await scene.open()
        let saved = scene.root + "/saved"
        try copy("\(runtime)/\(file.document)", to: saved)
        try await scene.edit(file, "new", "new")
        try copy(saved, to: "\(runtime)/\(file.document)")
        let next = try scene.next()
        let again = try await next.open()
        #expect(again.document == file.document && again.state.unwritten == 1 && again.store.place == .data)
        #expect(!next.running.contains(file.document) && next.files.all.count == 1)
        #expect(try next.layer(again)["new"] == "new")
        try await next.expectAgreement(again)
    }

    /// The engine was killed before the copy of the database had its name.
    @Test func anUnfinishedDatabaseIsRemovedAndTheOneInMemoryCounts() async throws {
        let file = try await scene.open()
        let folder = "\(data)/\(file.document)"
        try FileManager.default.createDirectory(atPath: folder + "/attachments", withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(filePath: folder + "/.file.sqlite.new"))
        let next = try scene.next()
        try await next.files.prepare()
        #expect(next.kept.isEmpty && next.files.all.map(\.document) == [file.document])
        let again = try await next.open()
        try await next.edit(again, "new", "new")
        #expect(again.store.place == .data && again.state.unwritten == 1)
    }

    @Test func anUnfinishedDatabaseInMemoryIsRemoved() async throws {
        let folder = "\(runtime)/01M8GG0JWYH62M8TG3DQTNNBVC"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(filePath: folder + "/.file.sqlite.new"))
        let next = try scene.next()
        let file = try await next.open()
        #expect(next.files.all.count == 1 && access(folder, F_OK) != 0 && file.state.unwritten == 0)
    }

    /// Its first transaction is missing.
    @Test func aDatabaseWithoutItsFirstTransactionIsRemoved() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        let path = FileDatabase.path(in: "\(data)/\(file.document)")
        file.store.close()
        try Data(try FileSchema.empty.get()).write(to: URL(filePath: path))
        let next = try scene.next()
        try await next.files.prepare()
        #expect(next.files.all.isEmpty && next.kept.isEmpty)
    }

    @Test(arguments: ["cut", "empty", "changed"]) func aDamagedDatabaseIsKeptAndNamed(_ damage: String) async throws {
        let file = try await scene.open()
        try await scene.edit(file, "kept", "kept")
        let path = FileDatabase.path(in: "\(data)/\(file.document)")
        file.store.close()
        let whole = try Data(contentsOf: URL(filePath: path))
        var bytes = whole
        switch damage {
        case "cut": bytes = bytes.prefix(5000)
        case "empty": bytes = Data("nothing that any engine has written".utf8)
        default: for place in 0..<40 { bytes[place] ^= 0x55 }
        }
        try bytes.write(to: URL(filePath: path))
        let next = try scene.next()
        let again = try await next.open()
        #expect(again.document != file.document && again.state.unwritten == 0)
        let named = next.files.damage(concerning: again)
        #expect(named.count == 1)
        let aside = try #require(named.first?.path)
        #expect(try aside != path && Data(contentsOf: URL(filePath: aside)) == bytes)
        // Neither a new edit nor forgetting takes it.
        try await next.edit(again, "new", "new")
        _ = try await again.write(.init())
        await next.close(again)
        try await next.gone(again)
        #expect(try Data(contentsOf: URL(filePath: aside)) == bytes)
        #expect(next.kept == ["\(file.document).damaged"])
        // Put back, it is read again.
        #expect(rename("\(data)/\(file.document).damaged", "\(data)/\(file.document)") == 0)
        try whole.write(to: URL(filePath: path))
        let last = try await next.open()
        #expect(last.document != file.document)
    }

    @Test func aDamagedDatabaseOfAnotherFileDoesNotConcernThisOne() {
        let damaged = DamagedKeptFile(path: "/x/file.sqlite", problem: "it is damaged", pdf: "/other.pdf")
        #expect(!damaged.concerns(scene.path) && damaged.concerns("/other.pdf"))
        #expect(DamagedKeptFile(path: "/x", problem: "it is damaged").concerns(scene.path))
    }

    /// With nothing to lose, the file is simply taken in anew.
    @Test func aDamagedDatabaseInMemoryIsRemoved() async throws {
        let file = try await scene.open()
        file.store.close()
        try Data("nothing".utf8).write(to: URL(filePath: FileDatabase.path(in: "\(runtime)/\(file.document)")))
        let next = try scene.next()
        let again = try await next.open()
        #expect(again.document != file.document && next.files.damage(concerning: again).isEmpty)
        #expect(!next.running.contains(file.document))
    }

    /// A write that was interrupted is found out by the next engine, also if the file is not opened.
    @Test func anInterruptedWriteIsFoundOutWithoutAWindow() async throws {
        let file = try await scene.open()
        try await scene.edit(file, "new", "new")
        file.work.hooks.withLock {
            $0.beforeSync = { () throws(OwnFileError) in throw .failed(EIO) }
        }
        await #expect(throws: OwnFileError.notSynced(EIO)) { try await file.write(.init()) }
        let next = try scene.next()
        try await next.files.prepare()
        await next.files.tick()
        try await waitUntil("it is forgotten") { next.files.all.isEmpty }
        #expect(next.kept.isEmpty && scene.hidden.isEmpty)
        #expect(try await scene.texts() == ["first", "new"])
    }
}
