import EngineCore
import Foundation
import GRDB
import Testing

@testable import DocumentEngine

/// The restore stamp distinguishes a restored database from the one that the server left.
@Suite("The restore stamp") struct RestoreDetectorTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/store.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    private func mark<Result>(_ body: (RestoreDetector) throws -> Result) throws -> Result {
        let store = try SQLiteStore(path: path)
        defer { try? store.close() }
        return try body(RestoreDetector(store: store, folder: folder.path, now: { TestClock.start }))
    }

    @Test func aStoreThatWasLeftIsTheSame() throws {
        for _ in 0..<3 { #expect(try !mark { try $0.open() }) }
        let rights = try FileManager.default.attributesOfItem(atPath: folder.path + "/postilla.mark")[.posixPermissions]
        #expect(rights as? Int == 0o600)
    }

    /// The backup was made while the server ran, and a new stamp was written afterwards.
    @Test func aBackupOfThisVeryRunIsOlder() throws {
        #expect(try !mark { try $0.open() })
        try FileManager.default.copyItem(atPath: path, toPath: path + ".backup")
        try mark { try $0.draw() }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".backup", toPath: path)
        #expect(try mark { try $0.open() })
        #expect(try !mark { try $0.open() })
    }

    @Test(arguments: ["", "garbage", "a\nb\nc"]) func aMarkOfAnotherStoreIsNoneOfThisOne(text: String) throws {
        #expect(try !mark { try $0.open() })
        try text.write(toFile: folder.path + "/postilla.mark", atomically: true, encoding: .utf8)
        #expect(try mark { try $0.open() })
    }

    /// The file is written before the database, which a full disk can prevent.
    @Test func aFirstStartThatFailedIsNoRestore() throws {
        let readOnly = "CREATE TRIGGER full BEFORE INSERT ON mark BEGIN SELECT RAISE(ABORT, 'full'); END"
        try mark { _ in }
        try DatabaseQueue(path: path).write { try $0.execute(sql: readOnly) }
        #expect(throws: StoreError.self) { try mark { try $0.open() } }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/postilla.mark"))
        try DatabaseQueue(path: path).write { try $0.execute(sql: "DROP TRIGGER full") }
        #expect(try !mark { try $0.open() })
        #expect(try !mark { try $0.open() })
    }

    /// A database without a stamp is from an older program. If a stamp file exists, it is a backup from that time.
    @Test func aStoreOfAnOlderProgramIsNoBackup() throws {
        #expect(try !mark { try $0.open() })
        try FileManager.default.removeItem(atPath: path)
        #expect(try mark { try $0.open() })
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.removeItem(atPath: folder.path + "/postilla.mark")
        #expect(try !mark { try $0.open() })
    }
}
