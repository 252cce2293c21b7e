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

    /// Computes all checksums again, from the rows as they are.
    static func fillChecksums(in database: Database) throws {
        let checksum = DatabaseFunction("row_checksum", argumentCount: nil, pure: true) { values in
            RowChecksum.of(try values.map(SQLValue.init))
        }
        database.add(function: checksum)
        defer { database.remove(function: checksum) }
        for table in StoredTable.tables {
            let values = table.all.split(separator: ", ").dropLast().joined(separator: ", ")
            try database.execute(sql: "UPDATE \(table.name) SET checksum = row_checksum(\(values))")
        }
        for (set, table) in [("layer", "record"), ("base", "base_record")] {
            var tallies: [Int64: RowTally] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT \(set), checksum FROM \(table)")
            while let row = try rows.next() {
                let (id, sum): (Int64, Int64) = (row[0], row[1])
                tallies[id, default: RowTally()].add(sum)
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

extension SQLValue {
    /// - Throws: `DatabaseError` for a value of a type that is never written.
    fileprivate init(_ value: DatabaseValue) throws {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        case .double, .blob: throw DatabaseError(resultCode: .SQLITE_MISMATCH)
        }
    }
}
