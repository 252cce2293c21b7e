import GRDB
import SQLite

/// Adds checksums to the rows of older versions, and to each layer and set of base records the number and the combined
/// checksum of its rows, which triggers maintain for layers.
extension SQLiteSchema {
    static func addChecksums(to database: Database) throws {
        for table in StoredTable.tables {
            try database.execute(sql: "ALTER TABLE \(table.name) ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
        }
        for set in ["layer", "base"] {
            try database.execute(
                sql: """
                    ALTER TABLE \(set) ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE \(set) ADD COLUMN sums INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        try fillChecksums(in: database)
        try database.execute(sql: triggers)
    }

    /// Computes all checksums again, from the rows as they are. A row with a value of a type that is never written stays
    /// damaged.
    static func fillChecksums(in database: Database) throws {
        try RowChecksumFunction.add(to: database)
        for table in StoredTable.tables {
            let values = table.all.split(separator: ", ").dropLast().joined(separator: ", ")
            try database.execute(sql: "UPDATE \(table.name) SET checksum = row_checksum(\(values))")
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
