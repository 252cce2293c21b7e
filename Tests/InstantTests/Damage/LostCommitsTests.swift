import Annotations
import Foundation
import InstantCore
import SQLite
import TestSupport
import TestThreads
import Testing

@testable import Instant

/// SQLite ends a write-ahead log at its first frame that is not valid, without a word: the store is then as it was
/// earlier, and says so.
@Suite("Lost commits", .onDatabaseThreads) struct LostCommitsTests {
    private let client: StoredClient
    private let log: String
    private let index: String

    init() throws {
        client = try StoredClient(isKilled: true)
        log = try #require(client.files.keys.first { $0.hasSuffix("-wal") })
        index = try #require(client.files.keys.first { $0.hasSuffix("-shm") })
    }

    private func place(_ client: StoredClient, _ look: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try client.put(in: folder.path)
        try look(try StoredClient.database(in: folder.path))
    }

    private var frames: Int { ((client.files[log]?.count ?? 0) - 32) / 4120 }

    private func newEdits(_ path: String) throws -> Int {
        let store = try LocalSQLiteStore(path: path)
        defer { store.close() }
        return try store.read { try $0.entries(in: [.waiting], limit: .max) }.count { $0.id.hasPrefix("new ") }
    }

    @Test func aKilledProcessLosesNothing() throws {
        try place(client) { path throws in
            #expect(LostCommits.count(besides: path) == 0)
            #expect(try newEdits(path) == 6)
            #expect(LayerLabel.read(LayerLabel.path(besides: path)).label?.lostCommits == 0)
        }
    }

    /// What is left is the whole store or an empty one, never an earlier one.
    @Test func aKilledRemovalIsNoDamage() throws {
        let kill = InstantError(.cancelled, "killed")
        var found: Set<Int> = []
        var (step, isDone) = (0, false)
        while !isDone {
            try place(client) { path in
                var left = step
                do throws(InstantError) {
                    try Folders.remove(layer: String(path.dropLast("/layer.sqlite".count))) { () throws(InstantError) in
                        left -= 1
                        if left < 0 { throw kill }
                    }
                    isDone = true
                } catch {
                    #expect(error.kind == .cancelled)
                    let store = try LocalSQLiteStore(path: path)
                    defer { store.close() }
                    #expect(store.damage == [], "step \(step)")
                    let edits = try store.read { try $0.entries(in: [.waiting], limit: .max) }
                    found.insert(edits.count { $0.id.hasPrefix("new ") })
                }
            }
            step += 1
        }
        #expect(found == [0, 6])
    }

    @Test func aFrameThatChangedEndsTheLogAndIsReported() throws {
        var found: Set<Int> = []
        for frame in 0..<frames {
            var changed = client
            changed.files[log]?[32 + frame * 4120 + 1000] ^= 4
            try place(changed) { path in
                let left = try newEdits(path)
                let lost = LayerLabel.read(LayerLabel.path(besides: path)).label?.lostCommits
                #expect(lost == 6 - left, "frame \(frame)")
                found.insert(left)
                // It is still known after SQLite has repaired its log.
                let store = try LocalSQLiteStore(path: path)
                #expect(store.damage == [.lostCommits(6 - left)])
                #expect(try store.findDamage() == [.lostCommits(6 - left)])
                store.close()
            }
        }
        #expect(found == [0, 1, 2, 3, 4, 5])
    }

    /// Without the index, the last frame may be one that a kill cut off: only those before others are known to be lost.
    @Test func withoutTheIndexOnlyTheMiddleIsKnown() throws {
        for (frame, isKnown) in [(0, true), (frames - 1, false)] {
            var changed = client
            changed.files[index] = nil
            changed.files[log]?[32 + frame * 4120 + 1000] ^= 4
            if !isKnown { changed.files[log]?.removeLast(2000) }
            try place(changed) { path in
                _ = try newEdits(path)
                #expect((LayerLabel.read(LayerLabel.path(besides: path)).label?.lostCommits == 0) == !isKnown)
            }
        }
    }

    @Test(arguments: ["header", "cut", "gone"]) func aLogWithoutABeginningOrAnEndIsReported(_ damage: String) throws {
        var changed = client
        switch damage {
        case "header": changed.files[log]?[17] ^= 1
        case "cut": changed.files[log]?.removeLast(100)
        default: changed.files[log] = nil
        }
        try place(changed) { path in
            let left = try newEdits(path)
            #expect(left < 6)
            let store = try LocalSQLiteStore(path: path)
            defer { store.close() }
            #expect(store.damage.count == 1)
        }
    }

    /// The index says nothing about a log that is not its own, and a damaged index nothing at all.
    @Test(arguments: [16, 33, 40, 60]) func aDamagedIndexIsIgnored(_ place: Int) throws {
        var changed = client
        changed.files[index]?[place] ^= 1
        try self.place(changed) { path throws in
            #expect(try newEdits(path) == 6)
            #expect(LayerLabel.read(LayerLabel.path(besides: path)).label?.lostCommits == 0)
        }
    }
}
