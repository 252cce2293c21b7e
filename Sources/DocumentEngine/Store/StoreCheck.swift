import Annotations
import GRDB
import SQLite
import Synchronization

/// Looks for damage in an SQLite store: rows whose checksum does not match, rows that are missing from the counts of
/// their layers, and whatever SQLite itself finds.
package final class StoreCheck: Sendable {
    private let path: String
    private let connection = Mutex<DatabaseQueue?>(nil)

    package init(path: String) { self.path = path }

    /// Ends a running check, which then throws.
    func interrupt() { connection.withLock { $0 }?.interrupt() }

    /// Reads the whole file, without changing it: seconds for each gigabyte. Blocks.
    ///
    /// - Returns: what is damaged; at most a few hundred entries.
    /// - Throws: ``StoreError`` if the file cannot be opened.
    package func problems() throws -> [Problem] {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            connection.withLock { $0 = queue }
            defer {
                connection.withLock { $0 = nil }
                try? queue.close()
            }
            return try queue.read { try Self.problems(in: $0) }
        } catch let error as DatabaseError {
            guard [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode.primaryResultCode) else {
                throw StoreError.unusable(path, error.resultCode.description)
            }
            return [.structure(error.resultCode.description)]
        }
    }

    private static let maxProblems = 100

    static func problems(in database: Database, tables: [StoredTable] = StoredTable.tables) throws -> [Problem] {
        var found: [Problem] = []
        do {
            let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(maxProblems))")
            found += lines.filter { $0 != "ok" }.map(Problem.structure)
        } catch let error as DatabaseError { found.append(.structure(error.description)) }
        // A store that this version has not opened yet has no checksums.
        guard try database.columns(in: "record").contains(where: { $0.name == "checksum" }) else { return found }
        let cache = StatementCache()
        defer { cache.finalize() }
        let statements = try cache.statements(of: database)
        let names = SetNames(database)
        var tallies: [String: [Int64: RowTally]] = [:]
        let lineage: [StoredTable] = try database.tableExists(StoredTable.lineage.name) ? [.lineage] : []
        for table in tables + lineage {
            do {
                var count = 0
                // The table itself, not an index, which could hide a row.
                let rows = "SELECT \(table.all) FROM \(table.name)\(table.keepsRows ? " NOT INDEXED" : "")"
                try statements.prepared(composed: rows).each([]) { row in
                    if table === StoredTable.record || table === StoredTable.baseRecord {
                        tallies[table.name, default: [:]][row.integer(0), default: RowTally()]
                            .add(row.integer(table.count))
                    }
                    guard !row.isIntact(table.count) else { return }
                    count += 1
                    if count <= maxProblems { found.append(.row(names.name(StoredRow(row, table), of: table))) }
                }
                if count > maxProblems { found.append(.rows(count - maxProblems, table.name)) }
            } catch let error as DatabaseError { found.append(.table(table.name, error.description)) }
        }
        for (set, table) in [("layer", StoredTable.record), ("base", .baseRecord)] {
            do {
                let expected = try Self.tallies(of: set, statements)
                let actual = tallies[table.name] ?? [:]
                for id in Set(expected.keys).union(actual.keys).sorted() {
                    let (wanted, there) = (expected[id] ?? RowTally(), actual[id] ?? RowTally())
                    guard wanted != there else { continue }
                    found.append(.set(names.name(set, id), expected: wanted.count, found: there.count))
                }
            } catch let error as DatabaseError { found.append(.table(set, error.description)) }
        }
        return found
    }

    /// Returns what each layer, or each set of base records that is not being removed, should contain.
    private static func tallies(of set: String, _ statements: Statements) throws -> [Int64: RowTally] {
        var tallies: [Int64: RowTally] = [:]
        try statements.prepared(composed: "SELECT id, records, sums FROM \(set)").each([]) { row in
            tallies[row.integer(0)] = RowTally(count: row.number(1), sums: row.integer(2))
        }
        return tallies
    }

    /// The names of layers and of sets of base records.
    private struct SetNames {
        private var names: [String: [Int64: String]] = [:]

        init(_ database: Database) {
            names["layer"] = Self.names(database, "SELECT id, document, name FROM layer") {
                "layer \(Self.quoted($1)) of document \(Self.quoted($0))"
            }
            names["base"] = Self.names(database, "SELECT base, id, '' FROM document") { document, _ in
                "the PDF of document \(Self.quoted(document))"
            }
        }

        private static func names(
            _ database: Database, _ sql: String, _ name: (String, String) -> String
        ) -> [Int64: String] {
            let rows = (try? Row.fetchAll(database, sql: sql)) ?? []
            return Dictionary(
                rows.map { row in
                    let values = Array(row.databaseValues)
                    let texts = values.dropFirst().map { String.fromDatabaseValue($0) ?? "" }
                    return (Int64.fromDatabaseValue(values[0]) ?? 0, name(texts[0], texts[1]))
                }, uniquingKeysWith: { first, _ in first })
        }

        func name(_ set: String, _ id: Int64) -> String { names[set]?[id] ?? "\(set) \(id)" }

        func name(_ row: StoredRow, of table: StoredTable) -> String {
            var key = row.key[...]
            var place = ""
            if table.belongsToSet, let id = key.popFirst().flatMap(Int64.init) {
                place = " of " + name(table === StoredTable.baseRecord ? "base" : "layer", id)
            }
            return "\(table.noun) \(key.map(Self.quoted).joined(separator: ", "))\(place)"
        }

        /// On one line: a damaged id can contain anything.
        private static func quoted(_ text: String) -> String { "\"\(text.escapingInvisible)\"" }
    }
}

extension StoreCheck {
    /// Something in a store that is not what was written. The description names it, with ids.
    package enum Problem: Hashable, Sendable, CustomStringConvertible {
        /// A row whose values do not match its checksum.
        case row(String)
        /// More such rows of a table.
        case rows(Int, String)
        /// A table that cannot be read to its end.
        case table(String, String)
        /// A layer, or the records of a PDF, with other rows than were written.
        case set(String, expected: Int, found: Int)
        /// A problem that SQLite found.
        case structure(String)

        package var description: String {
            switch self {
            case .row(let name): "damaged: \(name)"
            case .rows(let count, let table): "damaged: \(count) more rows of the table \(table)"
            case .table(let table, let why): "the table \(table) cannot be read to its end: \(why)"
            case .set(let name, let expected, let found):
                expected == found
                    ? "\(name): its \(found) records are not those that were written"
                    : "\(name): \(expected) records were written, but \(found) are there"
            case .structure(let why): "SQLite: \(why)"
            }
        }
    }
}
