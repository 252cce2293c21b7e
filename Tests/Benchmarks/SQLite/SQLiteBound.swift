import Foundation

/// The tables of one of Postilla's stores, written again by SQLite alone: the same schema with every index, the same
/// rows and the same durability, by prepared statements, with nothing decided and nothing derived.
struct SQLiteBound {
    struct Table {
        var name: String
        var rows: [RawRow]

        init(name: String, rows: [RawRow]) {
            self.name = name
            self.rows = rows
        }

        /// Reads rows of a store into memory.
        init(name: String, of path: String, where condition: String = "true") throws {
            let database = try RawDatabase(path, isReadOnly: true)
            self.name = name
            rows = try database.prepare("SELECT * FROM \(name) WHERE \(condition)").rows()
        }
    }

    /// The statements that create the tables and their indexes, from the store's own file.
    private let schema: [String]

    init(of path: String) throws {
        let database = try RawDatabase(path, isReadOnly: true)
        schema = try database.prepare(
            """
            SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'trigger' AND name NOT LIKE 'sqlite_%' ORDER BY type = 'index'
            """
        ).rows().compactMap { $0.string(0) }
    }

    /// Creates an empty store in a new file, with a write-ahead log and every commit on disk.
    func make(_ path: String) throws -> RawDatabase {
        let database = try RawDatabase(path)
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        for statement in schema { try database.execute(statement) }
        return database
    }

    static func insert(_ table: Table, into database: RawDatabase) throws -> RawStatement {
        let count = table.rows.first?.values.count ?? 0
        let places = Array(repeating: "?", count: count).joined(separator: ", ")
        // The last columns may have default values.
        let columns = try database.prepare("SELECT name FROM pragma_table_info('\(table.name)')").rows()
            .prefix(count).compactMap { $0.string(0) }.joined(separator: ", ")
        return try database.prepare("INSERT INTO \(table.name) (\(columns)) VALUES (\(places))")
    }

    /// Measures the insertion of all rows in one transaction, from an open, empty file to the disk.
    func bulkInsert(_ tables: [Table], into path: String) throws -> Duration {
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let database = try make(path)
        let start = ContinuousClock.now
        try database.transaction {
            for table in tables {
                let insert = try Self.insert(table, into: database)
                for row in table.rows { try insert.run(row) }
            }
        }
        return ContinuousClock.now - start
    }
}
