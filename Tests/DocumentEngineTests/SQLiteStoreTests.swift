import EngineCore
import Foundation
import TestSupport
import Testing

@testable import DocumentEngine

@Suite("SQLite store") struct SQLiteStoreTests {
    @Test("keeps the contract", arguments: LayerStoreContract.steps)
    func contract(_ step: LayerStoreContract.Step) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        try step.run(store)
        try store.close()
    }

    /// SQLite's 2 is FULL. With 1 a commit outlives the process, but not the machine.
    @Test func aCommitWaitsForTheDisk() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        let level = try store.write { try ($0 as? SQLiteTransaction)?.number("PRAGMA synchronous") }
        #expect(level == 2)
        try store.close()
    }

    /// Commits go over blocks that were written before: the file system has nothing of its own to write down for them.
    @Test func theLogHasItsRoomBeforeTheFirstCommit() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store.sqlite"
        let store = try SQLiteStore(path: path)
        let size = try logSize(path)
        #expect(size >= 5 << 20)
        for n in 0..<600 { try store.write { try $0.revoke(tokenID: "token-\(n)", until: .init(milliseconds: 1)) } }
        #expect(try logSize(path) == size)
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    /// A process that died left zeros behind its last commit, or nothing but zeros: neither is taken for one.
    @Test(arguments: [0, 1, 20]) func whatWasCommittedIsFoundInALogWithRoom(_ commits: Int) throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.path + "/store.sqlite", folder.path + "/copy.sqlite")
        let store = try SQLiteStore(path: path)
        for n in 0..<commits { try store.write { try $0.revoke(tokenID: "token-\(n)", until: .init(milliseconds: 1)) } }
        for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + end, toPath: copy + end) }
        try store.close()
        let again = try SQLiteStore(path: copy)
        #expect(
            try again.read { store in try (0..<30).filter { try store.isRevoked(tokenID: "token-\($0)") }.count }
                == commits)
        #expect(try logSize(copy) >= 5 << 20)
        try again.close()
    }

    private func logSize(_ path: String) throws -> Int {
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]
        return try #require(size as? Int)
    }
}
