import Annotations
import DocumentEngine
import EngineCore
import Foundation
import SyncProtocol
import Testing

/// Acknowledged writes survive a restart, however the server ended.
@Suite("Durability", .timeLimit(.minutes(15))) struct DurabilityTests {
    @Test func aRestartForgetsNothing() async throws {
        let folder = try TemporaryFolder()
        let clock = TestClock()
        let claims = TokenClaims(id: "kept")
        let change = Samples.create(1, "n1", "before the restart")
        let before = try await RunningServer.run(folder: folder, clock: clock) { server in
            try await server.upload()
            let token = try server.mint.token(claims)
            _ = try await server.push(token, [change])
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["gone"]}"#)
            return try await server.session(token)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data")
        #expect(
            files.sorted() == ["attachments", "pdf", "postilla.mark", "postilla.sqlite"],
            "a server that stopped leaves no log behind")
        try await RunningServer.run(folder: folder, clock: clock) { server in
            let token = try server.mint.token(claims)
            #expect(try await server.session(token) == before)
            let page: SnapshotPage = try await server.client(token, "GET", "records").message()
            #expect(page.records.map(\.id) == ["6", "7", "n1"])
            #expect(try await server.client(token, "GET", "document").body == Samples.pdf)
            // Retrying after a lost response returns the same response and writes nothing twice.
            let again: PushAnswer = try await server.push(token, [change]).message()
            #expect(again.results == [ChangeResult(n: 1, status: .applied, revision: 1)])
            var other = change
            other.content = Samples.note("another body")
            let mismatch: PushAnswer = try await server.push(token, [other]).message()
            #expect(mismatch.results.map(\.status) == [.mismatch])
            #expect(try await server.session(token).head == 1)
            let revoked = try server.mint.token(TokenClaims(id: "gone"))
            #expect(try await server.client(revoked, "GET", "session").reason == "token_revoked")
        }
    }

    @Test func aFolderHasOneServer() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(folder: folder) { server in
            let second = Server.Options(dataFolder: folder.path + "/data", keys: [])
            let refused = #expect(throws: StoreError.self) { _ = try Server(second) }
            #expect(refused.map { "\($0)" }?.contains("another server is using it") == true)
            try await server.upload()
        }
        // The folder lock was released, so the next server can take it.
        try await RunningServer.run(folder: folder) { server in
            _ = try await server.session(try server.mint.token(TokenClaims()))
        }
    }

    /// Copies the store while the server runs, with its log and nothing closed, as a killed process leaves it.
    @Test func aKilledServerKeepsWhatItAnswered() async throws {
        let (folder, killed) = (try TemporaryFolder(), try TemporaryFolder())
        let changes = (1...20).map { Samples.create(Int64($0), "n\($0)") }
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            #expect(try await server.push(token, changes).status == 200)
            try FileManager.default.copyItem(atPath: folder.path + "/data", toPath: killed.path + "/data")
        }
        try await RunningServer.run(folder: killed) { server in
            let token = try server.mint.token(TokenClaims())
            #expect(try await server.session(token).head == 20)
            let again: PushAnswer = try await server.push(token, changes).message()
            #expect(again.results.allSatisfy { $0.status == .applied && $0.revision == $0.n })
            #expect(try await server.session(token).head == 20)
        }
    }

    @Test func filesAreForTheirOwnerOnly() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            let names = FileManager.default.enumerator(atPath: folder.path + "/data")?.compactMap { $0 as? String }
            #expect(names?.contains("postilla.sqlite-wal") == true)
            for name in (names ?? []) + [""] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/data/" + name)
                let rights = try #require(attributes[.posixPermissions] as? Int)
                #expect(rights & 0o077 == 0, "\(name)")
            }
        }
    }

    @Test func aDamagedOrForeignStoreIsLeftAsItIs() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store.sqlite"
        let garbage = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try garbage.write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == garbage)

        let link = folder.path + "/link.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: StoreError.self) { try SQLiteStore(path: link) }
        #expect(throws: StoreError.self) { try SQLiteStore(path: folder.path + "/none/store.sqlite") }
    }
}
