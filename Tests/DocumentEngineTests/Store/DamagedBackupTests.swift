import Foundation
import GRDB
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// A backup is verified before anything changes.
@Suite("Damaged backups", .timeLimit(.minutes(15))) struct DamagedBackupTests {
    struct Damage: Sendable, CustomStringConvertible {
        let description: String
        let error: String
        let make: @Sendable (RestoreScene) throws -> Void

        init(_ description: String, _ error: String, _ make: @escaping @Sendable (RestoreScene) throws -> Void) {
            (self.description, self.error, self.make) = (description, error, make)
        }
    }

    private static func write(_ bytes: Data, _ path: String) throws { try bytes.write(to: URL(fileURLWithPath: path)) }

    private static func change(_ path: String, _ body: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        body(&bytes)
        try write(bytes, path)
    }

    private static let attachment = "attachments/\(RestoreScene.pictureName)"

    static let damages = [
        Damage("a changed byte", "attachments/\(RestoreScene.pictureName) does not match its SHA-256") {
            try change("\($0.copy)/\(attachment)") { $0[0] ^= 1 }
        },
        Damage("a shorter file", "does not match its SHA-256") { scene in
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: scene.copy + "/pdf").first)
            try change("\(scene.copy)/pdf/\(name)") { $0.removeLast() }
        },
        Damage("a missing file", "attachments/\(RestoreScene.pictureName) is missing") {
            try FileManager.default.removeItem(atPath: "\($0.copy)/\(attachment)")
        },
        Damage("missing folders", ".pdf is missing, attachments/\(RestoreScene.pictureName) is missing") { scene in
            for kind in ["pdf", "attachments"] { try FileManager.default.removeItem(atPath: "\(scene.copy)/\(kind)") }
        },
        Damage("a link", "attachments/\(RestoreScene.pictureName) is not a file") { scene in
            try FileManager.default.removeItem(atPath: "\(scene.copy)/\(attachment)")
            try write(Data(RestoreScene.picture), scene.copy + "/picture")
            try FileManager.default.createSymbolicLink(
                atPath: "\(scene.copy)/\(attachment)", withDestinationPath: "../picture")
        },
        Damage("a name that leads elsewhere", "the database names a file that is no SHA-256") {
            try $0.changeCopy("UPDATE attachment SET sha256 = '../pdf/x'")
        },
        Damage("half a database", "postilla.sqlite") {
            try change("\($0.copy)/postilla.sqlite") { $0.removeLast($0.count / 2) }
        },
        Damage("a page of zeros", "postilla.sqlite") {
            try change("\($0.copy)/postilla.sqlite") { bytes in
                let start = bytes.count / 4096 / 2 * 4096
                bytes.replaceSubrange(start..<start + 4096, with: Data(count: 4096))
            }
        },
        Damage("a text", "is damaged: postilla.sqlite") {
            try write(Data(String(repeating: "Dear Sir or Madam, ", count: 500).utf8), $0.copy + "/postilla.sqlite")
        },
        Damage("an empty database", "is not a backup: its postilla.sqlite is another database") {
            try write(Data(), $0.copy + "/postilla.sqlite")
        },
        Damage("another database", "is not a backup: its postilla.sqlite is another database") {
            try $0.changeCopy("DROP TABLE grdb_migrations")
        },
        Damage("a newer database", "was made by a newer version; update postilla") {
            try $0.changeCopy("INSERT INTO grdb_migrations VALUES ('of tomorrow')")
        },
        Damage("no database", "is not a backup: it contains no postilla.sqlite") {
            try FileManager.default.removeItem(atPath: $0.copy + "/postilla.sqlite")
        },
        Damage("a folder as its database", "is not a backup: it contains no postilla.sqlite") {
            try FileManager.default.removeItem(atPath: $0.copy + "/postilla.sqlite")
            try PrivateFiles.make(folder: $0.copy + "/postilla.sqlite")
        },
        Damage("a file", "is not a backup: it is not a folder") {
            try FileManager.default.removeItem(atPath: $0.copy)
            try write(Data(), $0.copy)
        },
        Damage("nothing", "is not a backup: it does not exist") {
            try FileManager.default.removeItem(atPath: $0.copy)
        },
    ]

    @Test(arguments: damages) func aDamagedBackupChangesNothing(_ damage: Damage) async throws {
        let scene = try await RestoreScene()
        try damage.make(scene)
        func refuse(replacing: Bool, elsewhere: Bool) throws {
            let before = try scene.found()
            #expect {
                try scene.restore(replacing: replacing, elsewhere: elsewhere).make()
            } throws: {
                ($0 as? BackupError)?.isUsage == false && "\($0)".contains(damage.error)
                    && "\($0)".contains("nothing was changed")
            }
            #expect(try scene.found() == before)
        }
        try refuse(replacing: false, elsewhere: false)
        try refuse(replacing: false, elsewhere: true)
        try await scene.addOldData()
        try refuse(replacing: true, elsewhere: false)
        #expect(try await scene.served() == ["old"])
    }

    // MARK: Backups that are not damaged

    /// A copy of a running server's folder, by other means: the last edits are only in its log.
    @Test func theLogOfACopiedFolderIsRestoredToo() async throws {
        let scene = try await RestoreScene()
        let (live, copy) = (scene.folder.path + "/live", scene.folder.path + "/by-hand")
        try await RunningServer.run(folder: scene.folder) {
            $0.dataFolder = live
        } _: { server in
            try await server.upload("kept")
            let token = try server.mint.token(TokenClaims(document: "kept"))
            #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
            let log = try #require(FileStatus(live + "/postilla.sqlite-wal"))
            #expect(log.bytes > 0)
            try FileManager.default.copyItem(atPath: live, toPath: copy)
        }
        _ = try Restore(of: copy, to: scene.data, now: TestClock.start).make()
        #expect(try scene.found().filter { $0.hasPrefix("place/data/postilla") } == ["place/data/postilla.sqlite"])
        #expect(FileStatus(copy + "/postilla.sqlite-wal") != nil, "the backup is unchanged")
        #expect(try await scene.served() == ["kept"])
    }

    /// The oldest stores have no restore stamp; clients may still have seen later edits.
    @Test func aBackupOfTheFirstVersionIsNoticedToo() async throws {
        let scene = try await RestoreScene()
        let copy = scene.folder.path + "/v1"
        try PrivateFiles.make(folder: copy + "/pdf")
        let sql = try String(contentsOfFile: Repository.root + "/Resources/vectors/store-v1.sql", encoding: .utf8)
        let name = BackupTests.sha256(Samples.pdf)
        let queue = try DatabaseQueue(path: copy + "/postilla.sqlite")
        try await queue.writeWithoutTransaction {
            try $0.execute(sql: sql)
            try $0.execute(
                sql: "UPDATE document SET sha256 = ?, bytes = ?", arguments: [name, Samples.pdf.count])
        }
        try queue.close()
        try Self.write(Data(Samples.pdf), "\(copy)/pdf/\(name).pdf")
        #expect(try Restore(of: copy, to: scene.data, now: TestClock.start).make().files == 1)
        for _ in 1...2 {
            let session = try await scene.run { server in
                try await server.session(try server.mint.token(TokenClaims()))
            }
            #expect(session.generation != "3d07a66bdcdf0e8e" && session.head == 3)
        }
    }
}
