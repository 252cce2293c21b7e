import EngineCore
import Foundation
import TestSupport
import Testing

@testable import DocumentEngine

@Suite("SQLite store") struct SQLiteStoreTests {
    @Test("fulfils the contract", arguments: LayerStoreContract.steps)
    func contract(_ step: LayerStoreContract.Step) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        try step.run(store)
        #expect(try store.check.problems().isEmpty)
        try store.close()
    }

    /// SQLite's value 2 is FULL. With 1 a commit survives a crash of the process but not of the machine.
    @Test func aCommitWaitsForTheDisk() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        let level = try store.write { try ($0 as? SQLiteTransaction)?.number("PRAGMA synchronous") }
        #expect(level == 2)
        try store.close()
    }

    /// A crashed process left its commits in the log. Older programs filled the log with zeros, which are not commits.
    @Test(arguments: [0, 1, 20]) func whatWasCommittedIsFoundInTheLog(_ commits: Int) throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.path + "/store.sqlite", folder.path + "/copy.sqlite")
        let store = try SQLiteStore(path: path)
        for n in 0..<commits { try store.write { try $0.revoke(tokenID: "token-\(n)", until: .init(milliseconds: 1)) } }
        for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + end, toPath: copy + end) }
        try store.close()
        let log = try #require(FileHandle(forWritingAtPath: copy + "-wal"))
        try log.seekToEnd()
        try log.write(contentsOf: Data(count: 1 << 20))
        try log.close()
        let again = try SQLiteStore(path: copy)
        #expect(
            try again.read { store in try (0..<30).filter { try store.isRevoked(tokenID: "token-\($0)") }.count }
                == commits)
        try again.close()
    }
}
