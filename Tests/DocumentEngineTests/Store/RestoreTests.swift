import Foundation
import Glibc
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// A backup put in place as a server's data.
@Suite("Restore", .timeLimit(.minutes(15))) struct RestoreTests {
    private static let aside = ".replaced-20270115T080000Z"

    @Test(arguments: [false, true]) func whatWasBackedUpIsServed(toAnEmptyFolder isThere: Bool) async throws {
        let scene = try await RestoreScene()
        if isThere { try PrivateFiles.make(folder: scene.data) }
        let report = try scene.restore().make()
        #expect((report.documents, report.files, report.movedAside) == (1, 3, []))
        #expect(report.uncertainty?.reason == "there is no earlier data")
        #expect(try scene.found().filter { !$0.contains("/data/") } == ["place", "place/data", "stores"])
        for name in try FileManager.default.subpathsOfDirectory(atPath: scene.folder.path + "/place") + ["."] {
            let path = "\(scene.folder.path)/place/\(name)"
            let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
            #expect(rights == (FileStatus(path)?.isFolder == true ? 0o700 : 0o600), "\(name)")
        }
        try await scene.run { server in
            let token = try server.mint.token(TokenClaims(document: "kept"))
            #expect(try await server.client(token, "GET", "document").body == Samples.pdf)
            let attachment = "/api/documents/kept/attachments/\(RestoreScene.pictureName)"
            #expect(try await server.backend("GET", attachment).body == RestoreScene.picture)
            let page: SnapshotPage = try await server.client(token, "GET", "records").message()
            #expect(page.records.contains { $0.id == "n1" })
        }
    }

    /// Each restore is another history, for clients that saw an earlier one.
    @Test func aServerNoticesEveryRestore() async throws {
        let scene = try await RestoreScene()
        var generations: Set<String> = []
        for round in 1...3 {
            _ = try scene.restore(replacing: true).make()
            generations.insert(
                try await scene.run { server in
                    try await server.session(try server.mint.token(TokenClaims(document: "kept"))).generation
                })
            #expect(generations.count == round)
        }
    }

    @Test func existingDataIsNamedAndLeftAlone() async throws {
        let scene = try await RestoreScene()
        try await scene.addOldData()
        let before = try scene.found()
        #expect {
            try scene.restore().make()
        } throws: {
            "\($0)".hasPrefix("\(scene.data) already contains data: attachments, pdf, postilla.mark, and ")
                && "\($0)".contains("--replace") && ($0 as? BackupError)?.isUsage == false
        }
        #expect(try scene.found() == before)
        #expect(try await scene.served() == ["old"])
    }

    /// A single file is data, too.
    @Test func anythingInTheFolderIsData() async throws {
        let scene = try await RestoreScene()
        try PrivateFiles.make(folder: scene.data + "/notes")
        #expect(throws: BackupError.occupied(scene.data, ["notes"])) { try scene.restore().make() }
    }

    @Test func withReplaceExistingDataIsMovedAside() async throws {
        let scene = try await RestoreScene()
        for count in 1...2 {
            try await scene.addOldData()
            let before = try FileManager.default.subpathsOfDirectory(atPath: scene.data).sorted()
            let report = try scene.restore(replacing: true).make()
            let aside = scene.data + Self.aside + (count == 2 ? "-2" : "")
            #expect(report == Restore.Report(documents: 1, files: 3, movedAside: [aside]))
            #expect(try FileManager.default.subpathsOfDirectory(atPath: aside).sorted() == before)
            #expect(try await scene.served() == ["kept"])
        }
        // What was moved aside can be restored, too.
        let report = try Restore(
            of: scene.data + Self.aside, to: scene.data, replacing: true, deleted: .comeBack, now: TestClock.start
        ).make()
        #expect(report.documents == 1 && report.movedAside == [scene.data + Self.aside + "-3"])
        #expect(try await scene.served() == ["old"])
    }

    @Test func whereAServerRunsNothingIsRestored() async throws {
        let scene = try await RestoreScene()
        try await scene.run { server in
            let before = try scene.found()
            for replacing in [false, true] {
                #expect(throws: StoreError.folder(scene.data, "a server or another restore is using it; stop it first"))
                {
                    try scene.restore(replacing: replacing).make()
                }
            }
            #expect(try scene.found() == before)
            // The folder of a running server is not a backup.
            let other = Restore(of: scene.data, to: scene.folder.path + "/other", now: TestClock.start)
            #expect {
                try other.make()
            } throws: { "\($0)".contains("a server or a backup is writing to it") }
            #expect(try await server.upload("still there").status == 200)
        }
    }

    // MARK: A database elsewhere

    @Test func aDatabaseElsewhereIsPutThere() async throws {
        let scene = try await RestoreScene()
        try await scene.addOldData(elsewhere: true)
        #expect(throws: BackupError.self) { try scene.restore(elsewhere: true).make() }
        let report = try scene.restore(replacing: true, elsewhere: true).make()
        #expect(report.movedAside == [scene.database + Self.aside, scene.data + Self.aside])
        #expect(try !scene.found().contains("place/data/postilla.sqlite"))
        #expect(try await scene.served(elsewhere: true) == ["kept"])
        // Both together are the old server.
        let files = FileManager.default
        for path in [scene.data, scene.database] {
            for end in ["", "-wal", "-shm"] where files.fileExists(atPath: path + Self.aside + end) {
                try? files.removeItem(atPath: path + end)
                try files.moveItem(atPath: path + Self.aside + end, toPath: path + end)
            }
        }
        #expect(try await scene.served(elsewhere: true) == ["old"])
    }

    @Test func aDatabaseElsewhereIsData() async throws {
        let scene = try await RestoreScene()
        try Data("x".utf8).write(to: URL(fileURLWithPath: scene.database + "-wal"))
        #expect(throws: BackupError.occupied(scene.folder.path + "/stores", ["main.sqlite-wal"])) {
            try scene.restore(elsewhere: true).make()
        }
        #expect(try scene.found() == ["place", "stores", "stores/main.sqlite-wal"])
        // It would be applied to the new database.
        _ = try scene.restore(replacing: true, elsewhere: true).make()
        #expect(try scene.found().contains("stores/main.sqlite\(Self.aside)-wal"))
        #expect(try await scene.served(elsewhere: true) == ["kept"])
    }

    @Test func aDatabaseOfAnotherNameInTheFolderStaysThere() async throws {
        let scene = try await RestoreScene()
        let database = scene.data + "/stores/main.sqlite"
        _ = try Restore(of: scene.copy, to: scene.data, database: database, now: TestClock.start).make()
        #expect(FileStatus(database)?.isFile == true && FileStatus(scene.data + "/postilla.sqlite") == nil)
    }

    // MARK: Places

    @Test(arguments: [
        ("backup/data", "must lie apart"), ("backup", "must lie apart"), ("link/data", "must lie apart"),
        (".", "must lie apart"), ("", "must lie apart"),
    ])
    func dataAndBackupLieApart(_ path: String, _ why: String) async throws {
        let scene = try await RestoreScene()
        let files = FileManager.default
        try files.createSymbolicLink(atPath: scene.folder.path + "/link", withDestinationPath: "backup")
        let before = try files.subpathsOfDirectory(atPath: scene.folder.path).sorted()
        for replacing in [false, true] {
            let data = "\(scene.folder.path)/\(path)"
            #expect {
                try Restore(of: scene.copy, to: data, replacing: replacing, now: TestClock.start).make()
            } throws: { ($0 as? BackupError)?.isUsage == true && "\($0)".contains(why) }
        }
        #expect(try files.subpathsOfDirectory(atPath: scene.folder.path).sorted() == before)
    }

    @Test func theBackupIsNeverWrittenTo() async throws {
        let scene = try await RestoreScene()
        let inBackup = scene.copy + "/postilla.sqlite"
        #expect {
            try Restore(of: scene.copy, to: scene.data, database: inBackup, replacing: true, now: TestClock.start)
                .make()
        } throws: { ($0 as? BackupError)?.isUsage == true }
        // The place where the new folder is built.
        try FileManager.default.moveItem(atPath: scene.copy, toPath: scene.data + ".restoring")
        #expect {
            try Restore(of: scene.data + ".restoring", to: scene.data, replacing: true, now: TestClock.start).make()
        } throws: { ($0 as? BackupError)?.isUsage == true && "\($0)".contains("move the backup elsewhere") }
        #expect(FileStatus(scene.data + ".restoring/postilla.sqlite")?.isFile == true)
    }

    /// As an operator may have linked it.
    @Test func aLinkToTheDataFolderStays() async throws {
        let scene = try await RestoreScene()
        try await scene.addOldData()
        let link = scene.folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "place/data")
        let report = try Restore(of: scene.copy, to: link, replacing: true, deleted: .comeBack, now: TestClock.start)
            .make()
        #expect(report.movedAside == [try RealPath(scene.data).path + Self.aside])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "place/data")
        #expect(try await scene.served() == ["kept"])
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aMountPointIsNotReplaced() async throws {
        let scene = try await RestoreScene()
        let disk = try TinyDisk(kilobytes: 4_000)
        #expect {
            try Restore(of: scene.copy, to: disk.path, now: TestClock.start).make()
        } throws: { ($0 as? BackupError)?.isUsage == true && "\($0)".contains("it is a mount point") }
        let data = disk.path + "/data"
        #expect(try Restore(of: scene.copy, to: data, now: TestClock.start).make().files == 3)
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"), arguments: [false, true])
    func aReadOnlyPlaceIsNamed(_ isThere: Bool) async throws {
        let scene = try await RestoreScene()
        let disk = try TinyDisk(kilobytes: 4_000)
        let data = disk.path + "/data"
        if isThere { try PrivateFiles.make(folder: data) }
        try disk.makeReadOnly()
        #expect {
            try Restore(of: scene.copy, to: data, now: TestClock.start).make()
        } throws: {
            "\($0)".hasPrefix("cannot use \(data)") && "\($0)".contains("Read-only file system")
        }
        #expect((FileStatus(data) != nil) == isThere)
    }

    /// The backup may be on a disk that cannot be written.
    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aReadOnlyBackupIsRestored() async throws {
        let scene = try await RestoreScene()
        let disk = try TinyDisk(kilobytes: 4_000)
        try scene.changeCopy("PRAGMA journal_mode = WAL")
        try FileManager.default.copyItem(atPath: scene.copy, toPath: disk.path + "/backup")
        try disk.makeReadOnly()
        _ = try Restore(of: disk.path + "/backup", to: scene.data, now: TestClock.start).make()
        #expect(try await scene.served() == ["kept"])
    }

    /// Root restores for the server's user.
    @Test(.enabled(if: geteuid() == 0, "only root may give files away")) func theOwnerStays() async throws {
        let scene = try await RestoreScene()
        try await scene.addOldData(elsewhere: true)
        chown(scene.data, 65_534, 65_534)
        _ = try scene.restore(replacing: true, elsewhere: true).make()
        let inside = try FileManager.default.subpathsOfDirectory(atPath: scene.data).map { "\(scene.data)/\($0)" }
        #expect(inside.count > 3)
        for path in inside + [scene.data, scene.database] {
            #expect(FileStatus(path)?.owner == 65_534 && FileStatus(path)?.group == 65_534, "\(path)")
        }
    }

    // MARK: Space

    @Test func withTooLittleSpaceNothingChanges() async throws {
        let scene = try await RestoreScene()
        try await scene.addOldData()
        let before = try scene.found()
        var restore = scene.restore(replacing: true)
        restore.freeBytes = { _ in 100 }
        #expect {
            try restore.make()
        } throws: {
            guard case BackupError.diskFull(_, needed: let needed?) = $0 else { return false }
            return needed > Int64(Samples.pdf.count) && "\($0)".contains("free some space")
        }
        #expect(try scene.found() == before)
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"), arguments: [60, 600])
    func aDiskThatFillsUpIsEmptiedAgain(_ kilobytes: Int) async throws {
        let scene = try await RestoreScene()
        let large = [UInt8](repeating: 7, count: 1_000_000)
        let name = BackupTests.sha256(large)
        try Data(large).write(to: URL(fileURLWithPath: "\(scene.copy)/attachments/\(name)"))
        try scene.changeCopy("INSERT INTO attachment VALUES ('kept', '\(name)', 1000000, 0, 0)")
        let disk = try TinyDisk(kilobytes: kilobytes)
        var restore = Restore(of: scene.copy, to: disk.path + "/data", now: TestClock.start)
        restore.freeBytes = { _ in nil }
        #expect {
            try restore.make()
        } throws: { if case BackupError.diskFull = $0 { true } else { false } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [])
    }
}
