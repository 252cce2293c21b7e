import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import SQLite

/// A commit is one write to the log, and whoever looks finds what SQLite would have written by many.
@Suite struct GatheredLogTests {
    private let folder: Folder
    private var path: String { folder.path + "/store.sqlite" }

    init() throws { folder = try Folder() }

    /// Gone with the test.
    private final class Folder: Sendable {
        let path = NSTemporaryDirectory() + "/postilla-" + UUID().uuidString

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// One connection with a log.
    private struct Store {
        let queue: DatabaseQueue
        private let cache = StatementCache()

        init(
            _ path: String, mode: String = "WAL", synchronous: String = "FULL", cachedPages: Int = 2000,
            pageBytes: Int = 4096
        ) throws {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA page_size = \(pageBytes)")
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
                try db.execute(sql: "PRAGMA synchronous = \(synchronous)")
                try db.execute(sql: "PRAGMA cache_size = \(cachedPages)")
                try db.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS one (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
                        CREATE TABLE IF NOT EXISTS two (text TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (text, id));
                        """)
            }
        }

        private struct Transaction: SQLTransaction {
            let statements: Statements

            func put(_ id: Int, _ text: String) throws {
                try run("INSERT OR REPLACE INTO one VALUES (?, ?)", .integer(id), .text(text))
                try run("DELETE FROM two WHERE id = ?", .integer(id))
                try run("INSERT INTO two VALUES (?, ?)", .text(text), .integer(id))
            }
        }

        struct TakenBack: Error {}

        /// - Parameter isTakenBack: it is rolled back in the end.
        func put(_ rows: [Int: String], isTakenBack: Bool = false) throws {
            try queue.writeWithoutTransaction { db in
                let transaction = Transaction(statements: try cache.statements(of: db))
                try transaction.committing("BEGIN IMMEDIATE") {
                    for (id, text) in rows { try transaction.put(id, text) }
                    if isTakenBack { throw TakenBack() }
                }
            }
        }

        var rows: [Int: String] {
            get throws {
                try queue.writeWithoutTransaction { db in
                    let rows = try Row.fetchAll(db, sql: "SELECT id, text FROM one NATURAL JOIN two")
                    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
                }
            }
        }

        var isSound: Bool {
            get throws {
                try queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA integrity_check") == "ok" }
            }
        }

        func counted() throws -> CountedLog { try queue.writeWithoutTransaction { try CountedLog.begin(of: $0) } }

        func close() throws {
            cache.finalize()
            try queue.close()
        }
    }

    private func rows(_ count: Int, _ random: inout SeededRandom) -> [Int: String] {
        var rows: [Int: String] = [:]
        for _ in 0..<count {
            let length = random.chance(1, of: 20) ? 9000 : Int.random(in: 0...300, using: &random)
            let letter = String(UnicodeScalar(UInt8.random(in: 97...122, using: &random)))
            rows[Int.random(in: 0...500, using: &random)] = String(repeating: letter, count: length)
        }
        return rows
    }

    @Test func aCommitIsOneWriteAndThenTheDisk() throws {
        let store = try Store(path)
        let log = try store.counted()
        try store.put([1: "a"])
        _ = log.take()
        for round in 2...20 {
            try store.put([round: "words", round * 1000: "more words"])
            let steps = log.take()
            #expect(steps.count == 2 && steps.first != .sync && steps.last == .sync, "\(steps)")
        }
        try store.put([30: String(repeating: "x", count: 15_000)])
        let writes = log.takeWrites()
        #expect(writes.count == 1 && writes[0] > 45_000, "\(writes)")
        // Frames of one page and its head each.
        #expect(writes[0] % (4096 + 24) == 0)
        try store.close()
    }

    @Test func whatIsLargerGoesInPieces() throws {
        let store = try Store(path)
        let log = try store.counted()
        try store.put([1: "a"])
        _ = log.take()
        try store.put([2: String(repeating: "x", count: 1 << 20)])
        let writes = log.takeWrites()
        // It stands in two tables and an index.
        #expect((48...60).contains(writes.count), "\(writes)")
        #expect(try store.rows[2]?.utf8.count == 1 << 20)
        #expect(try store.isSound)
        try store.close()
    }

    /// Small caches write pages before the commit; those go their way at once. Half of them do not wait for the disk, which
    /// hands nothing on then.
    @Test(arguments: 0..<16) func whoeverLooksFindsWhatWasCommitted(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let level = seed % 2 == 0 ? "FULL" : "NORMAL"
        let store = try Store(path, synchronous: level, cachedPages: random.pick([1, 5, 2000]))
        let other = try Store(path, synchronous: level, cachedPages: random.pick([1, 2000]))
        var model: [Int: String] = [:]
        for round in 0..<60 {
            // Writers take turns.
            let writer = random.chance(2, of: 3) ? store : other
            let new = rows(Int.random(in: 1...40, using: &random), &random)
            if random.chance(1, of: 4) {
                #expect(throws: Store.TakenBack.self) { try writer.put(new, isTakenBack: true) }
            } else {
                try writer.put(new)
                model.merge(new) { $1 }
            }
            if random.chance(1, of: 5) {
                _ = try writer.queue.writeWithoutTransaction { try $0.checkpoint(.restart) }
            }
            #expect(try store.rows == model && other.rows == model, "round \(round)")
            guard round % 10 == 9 else { continue }
            // What a program would find that begins where this one was killed.
            let copy = folder.path + "/copy-\(round).sqlite"
            for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + end, toPath: copy + end) }
            let found = try Store(copy)
            #expect(try found.rows == model && found.isSound)
            try found.close()
        }
        #expect(try store.isSound && other.isSound)
        try store.close()
        try other.close()
        let again = try Store(path)
        #expect(try again.rows == model)
        try again.close()
    }

    /// What was kept of it is not written later, over what another program has committed meanwhile.
    @Test(arguments: 1...3) func aCommitThatFailedLeavesNothing(_ failures: Int) throws {
        let (store, other) = (try Store(path), try Store(path))
        let log = try store.counted()
        try store.put([1: "one"])
        try store.put([2: "two"])
        for round in 0..<5 {
            log.fail(failures)
            for _ in 0..<failures {
                #expect(throws: DatabaseError.self) { try store.put([3: String(repeating: "y", count: 20_000)]) }
            }
            #expect(log.failuresLeft == 0)
            try other.put([10 + round: "other"])
            #expect(try store.rows[3] == nil && store.rows[10 + round] == "other")
            try store.put([20 + round: "own"])
            #expect(try store.isSound && other.isSound)
            #expect(try other.rows == store.rows && store.rows[20 + round] == "own")
        }
        try store.close()
        try other.close()
    }

    @Test(arguments: [512, 1024, 65536]) func pagesOfEverySizeFit(_ pageBytes: Int) throws {
        let store = try Store(path, pageBytes: pageBytes)
        var random = SeededRandom(seed: UInt64(pageBytes))
        var model: [Int: String] = [:]
        for _ in 0..<20 {
            let new = rows(20, &random)
            try store.put(new)
            model.merge(new) { $1 }
        }
        #expect(try store.rows == model && store.isSound)
        try store.close()
    }

    @Test func aStoreWithoutALogIsLeftAsItIs() throws {
        for mode in ["DELETE", "TRUNCATE", "MEMORY"] {
            let store = try Store(path + mode, mode: mode)
            for round in 1...5 { try store.put([round: mode]) }
            #expect(try store.rows.count == 5 && store.isSound)
            try store.close()
        }
    }

    @Test func aStoreCanBeOpenedAndClosedAgainAndAgain() throws {
        for round in 1...20 {
            let store = try Store(path)
            try store.put([round: "a"])
            #expect(try store.rows.count == round)
            try store.close()
        }
    }
}
