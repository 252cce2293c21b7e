import GRDB
import SQLite

/// The tables of the database of one local PDF: those of a server, for its one document and one layer, and what file and
/// layer do not have alike.
enum FileSchema {
    static var migrator: DatabaseMigrator {
        var migrator = SQLiteSchema.shared
        migrator.registerMigration("local file") { try $0.execute(sql: tables) }
        return migrator
    }

    /// Few readers: a hundred files may be open in one process.
    static var kind: SQLiteStore.Kind { SQLiteStore.Kind(migrator: migrator, readers: 2) }

    /// An empty database in its present form. To migrate each new file takes much longer than to write these bytes.
    static let empty: Result<[UInt8], any Error> = Result {
        let queue = try DatabaseQueue()
        defer { try? queue.close() }
        try migrator.migrate(queue)
        var bytes = try queue.writeWithoutTransaction { try DatabaseImage.bytes(of: $0) }
        // The file format that has a write-ahead log (sqlite.org/fileformat2.html, 1.3.3).
        for place in [18, 19] where bytes.count > place { bytes[place] = 2 }
        return bytes
    }

    /// Columns that decide come first, so that they are read without the records. Records are JSON.
    private static let tables = """
        CREATE TABLE file_row (
            id TEXT NOT NULL PRIMARY KEY, differs INTEGER NOT NULL, is_same INTEGER NOT NULL, number INTEGER,
            checksum INTEGER NOT NULL, base TEXT, local TEXT, before TEXT
        );
        CREATE INDEX file_row_differs ON file_row (id) WHERE differs;
        CREATE TABLE file_conflict (
            id TEXT NOT NULL PRIMARY KEY, days_left INTEGER, checksum INTEGER NOT NULL, base TEXT, local TEXT,
            remote TEXT, further TEXT NOT NULL
        );
        CREATE TABLE file_lost (id TEXT NOT NULL PRIMARY KEY, checksum INTEGER NOT NULL, mark TEXT NOT NULL);
        CREATE TABLE file_meta (
            name TEXT NOT NULL PRIMARY KEY, checksum INTEGER NOT NULL, value TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    /// All tables, for a check.
    static var checked: [StoredTable] { StoredTable.tables + [.fileRow, .fileConflict, .fileLost, .fileMeta] }
}

extension StoredTable {
    /// `differs`: whether file and layer have other versions, the one thing by which rows are searched for. `is_same`: the
    /// layer has exactly what the file has, which is then stored once. A row without any version says that the layer's set
    /// of base records has a record that neither has any more.
    static let fileRow = StoredTable(
        "file_row", "record of a local PDF", key: 1,
        ["id", "differs", "is_same", "number", "base", "local", "before"])
    static let fileConflict = StoredTable(
        "file_conflict", "conflict in a local PDF", key: 1, ["id", "days_left", "base", "local", "remote", "further"])
    static let fileLost = StoredTable("file_lost", "mark without words", key: 1, ["id", "mark"])
    static let fileMeta = StoredTable("file_meta", "state of a local PDF", key: 1, ["name", "value"])
}
