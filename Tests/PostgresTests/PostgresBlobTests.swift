import Postgres
import PostgresSupport
import TestThreads
import Testing

@Suite("Blobs in PostgreSQL", .serialized, .onDatabaseThreads) struct PostgresBlobTests {
    private let blobs: PostgresBlobs
    private let others: PostgresBlobs

    init() throws {
        let store = try PostgresStore(TestDatabase().address, patience: .seconds(60))
        (blobs, others) = (PostgresBlobs(store, .pdf), PostgresBlobs(store, .attachment))
    }

    private func read(_ name: String, from start: Int64 = 0) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let length = try #require(try blobs.length(of: name))
        while start + Int64(bytes.count) < length {
            let piece = try blobs.piece(of: name, at: start + Int64(bytes.count))
            try #require(!piece.isEmpty)
            bytes += piece
        }
        return bytes
    }

    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000]) func comeBackWhole(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        func keep() throws {
            try blobs.keep("a", bytes: Int64(size)) { Array(bytes[Int($0)..<Int($0) + $1]) }
        }
        try keep()
        try keep()
        #expect(try read("a") == bytes)
        let middle = size / 2
        #expect(try read("a", from: Int64(middle)) == Array(bytes[middle...]))
        #expect(try others.length(of: "a") == nil)
        #expect(try blobs.names() == ["a"])
        try blobs.remove("a")
        #expect(try blobs.length(of: "a") == nil)
        #expect(try blobs.piece(of: "a", at: 0) == [])
    }

    @Test func oneThatBreaksOffLeavesNothing() throws {
        struct Broken: Error {}
        #expect(throws: Broken.self) {
            try blobs.keep("a", bytes: 600_000) { offset, count in
                guard offset == 0 else { throw Broken() }
                return Array(repeating: 0, count: count)
            }
        }
        #expect(try blobs.length(of: "a") == nil)
        #expect(try blobs.piece(of: "a", at: 0) == [])
    }
}
