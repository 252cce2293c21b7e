import Annotations
import DocumentEngine
import Foundation
import SyncProtocol
import Testing

/// A restored database has a different history from the one that clients know; the server detects that itself.
@Suite("Restored backups", .timeLimit(.minutes(15))) struct RestoredBackupTests {
    @Test func anOlderDatabaseIsNoticedAndEveryLayerGetsANewGeneration() async throws {
        let it = try Backup()
        let clock = TestClock()
        let before = try await it.edit("n1", clock: clock)
        try it.keep()
        _ = try await it.edit("n2", clock: clock)
        try it.restore()
        let after = try await RunningServer.run(folder: it.folder, clock: clock) { server in
            let token = try server.mint.token(TokenClaims())
            // The server's knowledge of the client also belongs to another history.
            let answer: PushAnswer = try await server.push(token, [Samples.create(2, "n2")]).message()
            #expect(answer.results.map(\.status) == [.gap])
            return try await server.session(token)
        }
        #expect(after.generation != before.generation)
        #expect(after.epoch != before.epoch)
        #expect(after.head == before.head)
        // Only once: the next start finds the store as the server left it.
        try await RunningServer.run(folder: it.folder, clock: clock) { server in
            let token = try server.mint.token(TokenClaims())
            #expect(try await server.session(token) == after)
        }
    }

    @Test func whoRestoresTheWholeFolderRemovesTheMark() async throws {
        let it = try Backup()
        let clock = TestClock()
        let before = try await it.edit("n1", clock: clock)
        try FileManager.default.removeItem(atPath: it.data + "/postilla.mark")
        let after = try await it.session(clock: clock)
        #expect(after.generation != before.generation)
    }

    @Test func aRestartAKillAndAnUpdateAreNoRestoredBackups() async throws {
        let it = try Backup()
        let clock = TestClock()
        let before = try await it.edit("n1", clock: clock)
        #expect(try await it.session(clock: clock) == before)
        // Killed after the stamp file was written and before the stamp row.
        let path = it.data + "/postilla.mark"
        let kept = try String(contentsOfFile: path, encoding: .utf8)
        try "\(kept)\nthe next one".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await it.session(clock: clock) == before)
    }

    /// A data folder with a server's store, and a copy of its database.
    private struct Backup {
        let folder: TemporaryFolder
        var data: String { folder.path + "/data" }

        init() throws { folder = try TemporaryFolder() }

        func keep() throws {
            try FileManager.default.copyItem(atPath: data + "/postilla.sqlite", toPath: folder.path + "/backup")
        }

        func restore() throws {
            try FileManager.default.removeItem(atPath: data + "/postilla.sqlite")
            try FileManager.default.moveItem(atPath: folder.path + "/backup", toPath: data + "/postilla.sqlite")
        }

        /// Runs a server that accepts one note and stops.
        func edit(_ id: String, clock: TestClock) async throws -> SessionAnswer {
            try await RunningServer.run(folder: folder, clock: clock) { server in
                try await server.upload()
                let token = try server.mint.token(TokenClaims())
                let n = try await server.session(token).head + 1
                #expect(try await server.push(token, [Samples.create(n, id)]).status == 200)
                return try await server.session(token)
            }
        }

        func session(clock: TestClock) async throws -> SessionAnswer {
            try await RunningServer.run(folder: folder, clock: clock) { server in
                let token = try server.mint.token(TokenClaims())
                return try await server.session(token)
            }
        }
    }
}
