import Annotations
import EngineCore
import Postgres
import PostgresSupport
import SyncProtocol
import Synchronization
import TestThreads
import Testing

/// Two stores on one database, as two servers have them.
@Suite("A shared PostgreSQL store", .serialized, .onDatabaseThreads, .timeLimit(.minutes(15))) struct SharedStoreTests {
    private static let key = LayerKey(document: "doc", name: "review")
    private static let now = Timestamp(seconds: 1_700_000_000)
    private let stores: [PostgresStore]

    init() throws {
        let address = try TestDatabase().address
        stores = try [PostgresStore(address, patience: .seconds(60)), PostgresStore(address, patience: .seconds(60))]
        try stores[0].write { store in
            try store.put(Self.document)
            _ = try store.addLayer(Self.key, generation: "g")
        }
    }

    private static let document = ServerDocument(
        id: "doc", title: "Title", pdfSHA256: "hash", pdfBytes: 1, createdAt: now, pages: [])

    @Test func revisionsAreGivenInTheOrderOfCommits() async throws {
        let count = 25
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    for n in 0..<count {
                        try store.write { store in
                            let layer = try #require(try store.layer(Self.key))
                            var writer = LayerWriter(layer, in: store, now: Self.now)
                            let record = Record(id: "\(index)-\(n)", content: Content(checked: "{}"))
                            try writer.write(record, contentType: .annotations, rootID: nil, over: nil, client: nil)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try stores[0].read { store in
            let layer = try #require(try store.layer(Self.key))
            #expect(layer.head == Int64(2 * count))
            #expect(
                try store.changed(in: layer, after: 0, limit: 1000).map(\.revision) == Array(1...Int64(2 * count)))
        }
    }

    /// Both read the layer, then replace the document: a deadlock without the explicit lock first.
    @Test func replacingADocumentWaitsForItsWriters() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    for _ in 0..<20 {
                        try store.write { store in
                            try store.lock(.document("doc"))
                            _ = try store.layer(Self.key)
                            try store.put(Self.document)
                        }
                        try store.write { store in
                            let layer = try #require(try store.layer(Self.key))
                            try store.setHead(layer.head + 1, of: layer)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try stores[1].read { try $0.layer(Self.key)?.head } == 40)
    }

    @Test func aSavepointGivesBackItsLocks() throws {
        struct Stop: Error {}
        try stores[0].write { store in
            try? store.savepoint {
                _ = try store.layer(Self.key)
                throw Stop()
            }
            // This would block forever if the first store still held the lock.
            try stores[1].write { try $0.setHead(3, of: try #require(try $0.layer(Self.key))) }
            #expect(try store.layer(Self.key)?.head == 3)
        }
    }

    @Test func aTextThatCannotBeStoredIsRefusedAndTheRestGoesOn() throws {
        try stores[0].write { store in
            let refused = #expect(throws: APIError.self) {
                try store.savepoint { try store.revoke(tokenID: "a\0b", until: Self.now) }
            }
            #expect(refused?.reason == .invalid)
            try store.revoke(tokenID: "c", until: Self.now)
        }
        #expect(try stores[1].read { try $0.revoked(among: ["a\0b", "c", "d"]) } == ["c"])
        #expect(try stores[1].read { try $0.document("doc\0") } == nil)
    }

    @Test func aConnectionThatWasCutWhileItLayIdleIsNotNoticed() throws {
        let killer = try PostgresConnection(stores[0].address)
        try stores[0].read { _ in }
        try killer.execute(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        try stores[0].write { try $0.revoke(tokenID: "jti", until: Self.now) }
        #expect(try stores[1].read { try $0.isRevoked(tokenID: "jti") })
    }

    @Test func aTransactionThatIsCutIsRefusedAndTheNextOneIsDone() throws {
        let killer = try PostgresConnection(stores[0].address)
        let refused = #expect(throws: APIError.self) {
            try stores[0].write { store in
                try store.revoke(tokenID: "jti", until: Self.now)
                try killer.execute(
                    """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
            }
        }
        #expect(refused?.reason == .unavailable)
        #expect(try stores[0].read { try $0.isRevoked(tokenID: "jti") } == false)
    }

    @Test func noticesReachEveryListener() async throws {
        let (events, heard) = AsyncStream<PostgresListener.Event>.makeStream()
        let listener = PostgresListener(stores[1].address) { heard.yield($0) }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .connected)
        try stores[0].notify(["1:2", "é"])
        #expect(await iterator.next() == .notice("1:2"))
        #expect(await iterator.next() == .notice("é"))
        listener.stop()
    }

    @Test func migratingTwiceAndAtOnceIsHarmlessAndNewerTablesAreLeftAlone() async throws {
        let address = try TestDatabase().address
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try PostgresStore(address, patience: .seconds(60)) } }
            try await group.waitForAll()
        }
        try PostgresConnection(address).execute("INSERT INTO schema_step VALUES (99)")
        let error = #expect(throws: PostgresStoreError.self) { _ = try PostgresStore(address, patience: .seconds(60)) }
        #expect(error == .newerSchema(address))
    }
}
