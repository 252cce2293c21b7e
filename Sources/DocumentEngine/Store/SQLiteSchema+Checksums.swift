import GRDB
import SQLite

/// Adds checksums to the rows of older versions, and to each layer and set of base records the number and the combined
/// checksum of its rows, which triggers maintain.
extension SQLiteSchema {
    static func addChecksums(to database: Database) throws {
        try RowChecksumFunction.add(to: database)
        for (table, columns) in [(StoredTable.record, record), (.baseRecord, baseRecord)] {
            let new = table.name + "_new"
            let values = table.columns.joined(separator: ", ")
            try database.execute(
                sql: """
                    CREATE TABLE \(new) (\(columns));
                    INSERT INTO \(new) (\(values), checksum)
                        SELECT \(values), row_checksum(\(table.selected)) FROM \(table.name);
                    DROP TABLE \(table.name);
                    ALTER TABLE \(new) RENAME TO \(table.name);
                    """)
        }
        try database.execute(sql: recordIndexes)
        for table in StoredTable.tables where table !== StoredTable.record && table !== StoredTable.baseRecord {
            try database.execute(sql: "ALTER TABLE \(table.name) ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
        }
        for set in ["layer", "base"] {
            try database.execute(
                sql: """
                    ALTER TABLE \(set) ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE \(set) ADD COLUMN sums INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        try fillChecksums(in: database, except: [.record, .baseRecord])
        try database.execute(sql: triggers)
    }

    /// The content comes last. What decides who may see a record is then read without it, and in the same time, however
    /// large the content is.
    private static let record = """
        layer INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, root TEXT,
        created_by TEXT, updated_by TEXT, grp TEXT, revision INTEGER NOT NULL,
        run_client TEXT, run_start INTEGER NOT NULL,
        removed_at INTEGER, removed_by TEXT, removed_client TEXT, cascade INTEGER,
        attachment TEXT, thread_root INTEGER NOT NULL, checksum INTEGER NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (layer, id)
        """
    private static let baseRecord = """
        base INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, root TEXT,
        created_by TEXT, updated_by TEXT, grp TEXT, attachment TEXT, checksum INTEGER NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (base, id)
        """
    private static let recordIndexes = """
        CREATE UNIQUE INDEX record_revision ON record (layer, revision);
        CREATE INDEX record_root ON record (layer, root) WHERE root IS NOT NULL;
        CREATE INDEX record_cascade ON record (layer, cascade) WHERE cascade IS NOT NULL;
        CREATE INDEX record_attachment ON record (layer, attachment) WHERE attachment IS NOT NULL;
        CREATE INDEX base_record_root ON base_record (base, root) WHERE root IS NOT NULL;
        CREATE INDEX base_record_attachment ON base_record (base, attachment) WHERE attachment IS NOT NULL;
        """

    /// Computes all checksums again, from the rows as they are. A row with a value of a type that is never written stays
    /// damaged.
    static func fillChecksums(in database: Database, except done: [StoredTable] = []) throws {
        try RowChecksumFunction.add(to: database)
        for table in StoredTable.tables where !done.contains(where: { $0 === table }) {
            try database.execute(sql: "UPDATE \(table.name) SET checksum = row_checksum(\(table.selected))")
        }
        let cache = StatementCache()
        defer { cache.finalize() }
        let statements = try cache.statements(of: database)
        for (set, table) in [("layer", "record"), ("base", "base_record")] {
            var tallies: [Int64: RowTally] = [:]
            try statements.prepared(composed: "SELECT \(set), checksum FROM \(table)").each([]) { row in
                tallies[row.integer(0), default: RowTally()].add(row.integer(1))
            }
            for (id, tally) in tallies {
                try database.execute(
                    sql: "UPDATE \(set) SET records = ?, sums = ? WHERE id = ?",
                    arguments: [tally.count, tally.sums, id])
            }
        }
    }

    /// SQLite has no exclusive or: of `a` and `b` it is `(a | b) - (a & b)`, which cannot overflow.
    private static let triggers = """
        CREATE TRIGGER record_added AFTER INSERT ON record BEGIN
            UPDATE layer SET records = records + 1, sums = (sums | NEW.checksum) - (sums & NEW.checksum)
            WHERE id = NEW.layer;
        END;
        CREATE TRIGGER record_changed AFTER UPDATE OF checksum ON record BEGIN
            UPDATE layer SET sums = (sums | OLD.checksum) - (sums & OLD.checksum) WHERE id = OLD.layer;
            UPDATE layer SET sums = (sums | NEW.checksum) - (sums & NEW.checksum) WHERE id = NEW.layer;
        END;
        CREATE TRIGGER record_removed AFTER DELETE ON record BEGIN
            UPDATE layer SET records = records - 1, sums = (sums | OLD.checksum) - (sums & OLD.checksum)
            WHERE id = OLD.layer;
        END;
        CREATE TRIGGER base_record_removed AFTER DELETE ON base_record BEGIN
            UPDATE base SET records = records - 1, sums = (sums | OLD.checksum) - (sums & OLD.checksum)
            WHERE id = OLD.base;
        END;
        """
}
