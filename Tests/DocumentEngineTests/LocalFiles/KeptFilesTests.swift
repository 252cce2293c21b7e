import Annotations
import FileCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DocumentEngine

@Suite("What is kept of local PDFs") struct KeptFilesTests {
    typealias Row = LocalFileState.Row

    private func edited(_ scene: FileScene) throws -> FileDatabase {
        let database = try scene.create()
        let records = try ["1", "2", "10"].map { try FileScene.record($0) }
        try database.write { try FileScene.takeIn(records, $0) }
        try database.apply([
            .row(ByteOrdered("2"), Row(base: records[1], local: nil)),
            .row(ByteOrdered("10"), Row(base: records[2], local: try FileScene.record("10", "edited"))),
            .row(ByteOrdered("3"), Row(base: nil, local: try FileScene.record("3"))),
            .conflict(ByteOrdered("1"), .init(base: nil, local: records[0], remote: nil, daysLeft: 30)),
            .version(FileScene.version(4), EarlierContents(), sharesIDs: true),
        ])
        return database
    }

    private func check(_ kept: KeptFiles, _ scene: FileScene) throws {
        let (files, damaged) = kept.all()
        #expect(damaged.isEmpty)
        let file = try #require(files.first)
        #expect(files.count == 1 && file.document == FileScene.document && file.path == FileScene.pdf)
        #expect(file.folder == scene.home && !file.isPrivate && !file.isBeingWritten && file.conflicts == 1)
        #expect(file.unwritten == 4 && file.sha256 == FileScene.version(4).sha256)
        #expect(file.unwrittenRecords.map { ($0.file ?? $0.layer)?.id } == ["1", "10", "2", "3"])
        #expect(file.unwrittenRecords[2].layer == nil && file.unwrittenRecords[3].file == nil)
    }

    @Test func isReadWhileAnEngineHasItOpen() throws {
        let scene = try FileScene()
        let database = try edited(scene)
        let kept = KeptFiles(folder: scene.parent)
        // Also in the middle of a transaction, of which nothing is seen.
        try database.write { store in
            try FileTables(store).apply([.row(ByteOrdered("4"), Row(local: try FileScene.record("4")))])
            try check(kept, scene)
        }
        #expect(kept.all().files.first?.unwritten == 5)
        try database.apply([.row(ByteOrdered("4"), Row())])
        try check(kept, scene)
        try database.apply([.hidden(["/a"], writes: 1)])
        #expect(kept.all().files.first?.isBeingWritten == true)
        database.close()
    }

    @Test func isReadWithoutAnEngine() throws {
        let scene = try FileScene()
        try edited(scene).close()
        let kept = KeptFiles(folder: scene.parent)
        try check(kept, scene)
        try check(kept, scene)
        #expect(KeptFiles(folder: scene.parent + "/none").all().files.isEmpty)
        // An engine goes on with it.
        let database = try scene.open()
        #expect(try database.state().unwritten == 4)
        database.close()
    }

    @Test func aPrivateFileNamesItsOwners() throws {
        let scene = try FileScene()
        let database = try scene.create()
        let owner = FileUser(pid: 1, start: 2)
        try database.apply([.madePrivate, .owners([owner])])
        let file = try #require(KeptFiles(folder: scene.parent).all().files.first)
        #expect(file.isPrivate && file.owners == [owner])
        database.close()
    }

    @Test func aPrivateSessionIsSeenWhileItsProcessLives() throws {
        let scene = try FileScene()
        let database = try scene.create()
        let process = ProcessIdentity(pid: getpid())
        let kept = KeptFiles(folder: scene.parent)
        try database.apply([.madePrivate, .owners([FileUser(pid: process.pid, start: process.start)])])
        #expect(kept.isOpenPrivately(FileScene.pdf) && !kept.isOpenPrivately("/other.pdf"))
        // Another process had the number before.
        try database.apply([.owners([FileUser(pid: process.pid, start: process.start &+ 1)])])
        #expect(!kept.isOpenPrivately(FileScene.pdf))
        database.close()
    }

    @Test func aCopyForAnotherEngineIsOfOneMoment() throws {
        let scene = try FileScene()
        let database = try edited(scene)
        let (parent, attachment) = (scene.folder.path + "/other", String(repeating: "a", count: 64))
        try FileManager.default.createDirectory(
            atPath: scene.home + "/attachments", withIntermediateDirectories: true)
        for name in [
            "attachments/\(attachment)", KeptFiles.copyName(FileScene.version(4).sha256), "base.pdf.old", "new",
        ] {
            try Data("x".utf8).write(to: URL(filePath: "\(scene.home)/\(name)"))
        }
        let kept = KeptFiles(folder: scene.parent)
        let file = try #require(kept.all().files.first)
        // While it is being written.
        try database.write { store in
            try FileTables(store).apply([.row(ByteOrdered("4"), Row(local: try FileScene.record("4")))])
            try kept.copy(file, to: parent)
        }
        database.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: parent + "/01").sorted()
        #expect(names == ["attachments", KeptFiles.copyName(FileScene.version(4).sha256), "file.sqlite"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent + "/01/attachments") == [attachment])
        let copy = try FileDatabase.open(document: FileScene.document, in: parent, fence: "other")
        #expect(try copy.state().unwritten == 4)
        copy.close()
    }

    /// Without the log's index, which cannot be made there, a copy is read.
    @Test("A folder that cannot be written is read", arguments: [false, true])
    func readOnlyFolder(_ hasLog: Bool) throws {
        let scene = try FileScene()
        let database = try edited(scene)
        // As a kill leaves it: what was committed is in the log.
        let copy = try FileScene()
        try FileManager.default.createDirectory(atPath: copy.home, withIntermediateDirectories: true)
        if !hasLog { database.close() }
        for end in hasLog ? ["", "-wal"] : [""] {
            try FileManager.default.copyItem(atPath: database.path + end, toPath: copy.home + "/file.sqlite" + end)
        }
        database.close()
        let temporary = copy.folder.path + "/temporary"
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        let before = try FileManager.default.contentsOfDirectory(atPath: copy.home)
        try OtherUser.withFiles(of: [copy.home, temporary]) {
            chmod(copy.home, 0o500)
            defer { chmod(copy.home, 0o700) }
            #expect(open(copy.home + "/new", O_CREAT | O_WRONLY, 0o600) < 0)
            let kept = KeptFiles(folder: copy.parent, temporary: temporary)
            try check(kept, copy)
            #expect(kept.damage(besides: try #require(kept.all().files.first)).isEmpty)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.home) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
    }
}
