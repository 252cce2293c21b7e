import Annotations
import EngineCore
import GRDB
import Glibc
import SQLite

/// What a restore compares and takes over from a database: revocations, notes of deletions, and which documents and
/// layers there are. Read row by row and without changing the file, so that a damaged one gives what it still has.
struct EarlierData: Sendable {
    struct Document: Hashable, Sendable {
        var createdAt: Timestamp
        var base: Int64
        var sha256: String
    }

    /// The revoked tokens, and until when each one would be valid.
    private(set) var revocations: [ByteOrdered: Timestamp] = [:]
    /// When layers and whole documents were deleted.
    private(set) var deletions: [LayerKey: Timestamp] = [:]
    private(set) var documents: [ByteOrdered: Document] = [:]
    private(set) var layers: Set<LayerKey> = []
    /// Whether no document, or no layer, is missing because of damage.
    private(set) var hasAllDocuments = true
    private(set) var hasAllLayers = true
    /// Why something may be missing; nil: everything was read.
    private(set) var problem: String?

    /// Whether nothing was ever stored.
    var isEmpty: Bool { documents.isEmpty && deletions.isEmpty && revocations.isEmpty && problem == nil }

    /// Reads a database of this version or an earlier one. Blocks.
    ///
    /// - Parameter now: the end of what a damaged note may stand for.
    init(of path: String, now: Timestamp) {
        do {
            try Self.reading(path) { database, statements in
                // A damaged revocation may have lost its end; it counts until no ordinary token would be valid.
                try read(.revoked, "jti", database, statements) { data, row, isIntact in
                    let end = isIntact ? Timestamp(milliseconds: row.integer(1)) : now + 10 * 365 * 86_400_000
                    data.revocations[ByteOrdered(row.text(0))] = end
                }
                try read(.deletedLayer, "document, name", database, statements) { data, row, isIntact in
                    // Sets of base records have notes without a document.
                    guard !row.text(0).isEmpty else { return }
                    let key = LayerKey(document: row.text(0), name: row.text(1))
                    data.deletions[key] = isIntact ? Timestamp(milliseconds: row.integer(2)) : now
                }
                hasAllDocuments = try read(.document, "id", database, statements) { data, row, _ in
                    data.documents[ByteOrdered(row.text(0))] = Document(
                        createdAt: Timestamp(milliseconds: row.integer(4)), base: row.integer(5), sha256: row.text(2))
                }
                hasAllLayers = try read(.layer, "id", database, statements) { data, row, _ in
                    let key = LayerKey(document: row.text(1), name: row.text(2))
                    if !key.isHidden { data.layers.insert(key) }
                }
            }
        } catch {
            (hasAllDocuments, hasAllLayers) = (false, false)
            let cause = (error as? DatabaseError).map { "\($0.resultCode)" } ?? "\(error)"
            problem = "\(path) cannot be read (\(cause))"
        }
    }

    /// Passes the rows of a table to `take`: up to the first one that cannot be read, then from the end up to it.
    ///
    /// - Returns: whether all rows were read and none is damaged.
    @discardableResult
    private mutating func read(
        _ table: StoredTable, _ key: String, _ database: Database, _ statements: Statements,
        _ take: (inout EarlierData, Columns, _ isIntact: Bool) throws -> Void
    ) throws -> Bool {
        let hasChecksums = try database.columns(in: table.name).contains { $0.name == "checksum" }
        // The columns that older versions have, in the same order.
        let old = table === StoredTable.document ? "id, title, sha256, bytes, created_at, base" : table.selected
        var isWhole = true
        func pass(_ order: String) throws {
            let sql = "SELECT \(hasChecksums ? table.all : old) FROM \(table.name) ORDER BY \(order)"
            try statements.prepared(composed: sql).each([]) { row in
                let isIntact = !hasChecksums || row.isIntact(table.count)
                if !isIntact { isWhole = false }
                try take(&self, row, isIntact)
            }
        }
        do { try pass(key) } catch is DatabaseError {
            isWhole = false
            let backwards = key.split(separator: ",").map { $0 + " DESC" }.joined(separator: ",")
            do { try pass(backwards) } catch is DatabaseError {}
        }
        if !isWhole { problem = "some rows of the earlier data are damaged" }
        return isWhole
    }

    /// Opens a database that no other program uses, and leaves it and the files beside it as they are.
    static func reading<Result>(_ path: String, _ body: (Database, Statements) throws -> Result) throws -> Result {
        // Even to read a database with a log, SQLite needs these files.
        let added = ["-wal", "-shm"].map { path + $0 }.filter { FileStatus(link: $0) == nil }
        defer { for path in added { unlink(path) } }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { database in
            let cache = StatementCache()
            defer { cache.finalize() }
            return try body(database, try cache.statements(of: database))
        }
    }
}
