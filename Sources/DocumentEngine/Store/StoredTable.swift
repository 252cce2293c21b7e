import SQLite

/// A table whose rows contain a checksum of their other columns.
final class StoredTable: Sendable {
    let name: String
    /// What a row is, for an operator.
    let noun: String
    /// The columns except the checksum, in the order of the checksum, which is not that of the table.
    let columns: [String]
    /// The number of these columns; the checksum follows them.
    let count: Int32
    /// How many of the first columns are the row's key.
    let keyCount: Int32
    /// What to select for the values of the checksum.
    let selected: String
    /// The same, followed by the checksum.
    let all: String
    /// Inserts a row, or replaces the row with its key.
    let insertion: String

    /// - Parameter selected: what to select for the columns, if not the columns themselves.
    init(_ name: String, _ noun: String, key keyCount: Int32, _ columns: [String], selected: [String]? = nil) {
        (self.name, self.noun, self.columns, self.keyCount) = (name, noun, columns, keyCount)
        count = Int32((selected ?? columns).count)
        self.selected = (selected ?? columns).joined(separator: ", ")
        all = self.selected + ", checksum"
        let values = repeatElement("?", count: columns.count + 1).joined(separator: ", ")
        let names = (columns + ["checksum"]).joined(separator: ", ")
        insertion = "INSERT OR REPLACE INTO \(name) (\(names)) VALUES (\(values))"
    }

    /// The columns and the checksum under the table's own name, for a statement with several tables.
    var qualified: String { (columns + ["checksum"]).map { "\(name).\($0)" }.joined(separator: ", ") }

    /// Whether the rows are stored apart from the key's index.
    var keepsRows: Bool {
        [Self.layer, .record, .baseRecord, .fileRow, .fileConflict, .fileLost].contains { $0 === self }
    }

    /// Whether the first column is the number of a layer or of a set of base records.
    var belongsToSet: Bool { columns[0] == "layer" || columns[0] == "base" }

    static let document = StoredTable(
        "document", "document", key: 1,
        [
            "id", "title", "sha256", "bytes", "created_at", "base", "pages", "page_count", "stripped_sha256",
            "stripped_bytes",
        ])
    static let layer = StoredTable(
        "layer", "layer", key: 3, ["id", "document", "name", "generation", "head", "horizon"])
    static let deletedLayer = StoredTable(
        "deleted_layer", "note of a deleted layer", key: 2, ["document", "name", "at"])
    static let record = StoredTable(
        "record", "record", key: 2,
        [
            "layer", "id", "content", "type", "root", "created_by", "updated_by", "grp", "revision", "run_client",
            "run_start", "removed_at", "removed_by", "removed_client", "cascade", "attachment", "thread_root",
        ])
    /// Read with the same columns as a layer's own records.
    static let baseRecord = StoredTable(
        "base_record", "record of a PDF", key: 2,
        ["base", "id", "content", "type", "root", "created_by", "updated_by", "grp", "attachment"],
        selected: [
            "base", "id", "content", "type", "root", "created_by", "updated_by", "grp", "0", "NULL", "0", "NULL",
            "NULL",
            "NULL", "NULL", "attachment", "0",
        ])
    static let departure = StoredTable(
        "departure", "note of a record's former group", key: 3,
        ["layer", "revision", "id", "type", "created_by", "grp", "at"])
    static let client = StoredTable("client", "client", key: 2, ["layer", "id", "user_id", "last_n", "acked"])
    static let answer = StoredTable(
        "answer", "answer to a client", key: 3,
        ["layer", "client", "n", "hash", "record", "status", "revision", "reason"])
    static let attachment = StoredTable("attachment", "attachment", key: 2, ["document", "sha256", "bytes", "at"])
    static let upload = StoredTable("upload", "note of an upload", key: 3, ["layer", "sha256", "user_id"])
    static let revoked = StoredTable("revoked", "revocation of a token", key: 1, ["jti", "expires_at"])

    static let lineage = StoredTable(
        "lineage", "earlier generation of a layer", key: 2, ["layer", "n", "generation", "head", "at"])

    /// Those that a server and a local PDF have alike; a server also has ``lineage``.
    static let tables = [
        document, layer, deletedLayer, record, baseRecord, departure, client, answer, attachment, upload, revoked,
    ]
}

extension StoredTable {
    /// Returns the checksum of a base record: that of a layer's record with the same values, revision 0 and no removal.
    ///
    /// - Parameter columns: of `base_record`, without the checksum.
    static func checksum(ofBaseRecord columns: [SQLValue]) -> Int64 {
        var values = Array(columns.dropLast())
        values += [.integer(0), .null, .integer(0), .null, .null, .null, .null, columns.last ?? .null, .integer(0)]
        return RowChecksum.of(values)
    }
}

/// A row by its key.
struct StoredRow: Hashable, Sendable {
    /// The name of a ``StoredTable``.
    var table: String
    /// Whether the key begins with the number of a layer or of a set of base records.
    var belongsToSet: Bool
    /// The values of the key columns, as read.
    var key: [String]

    init(_ table: StoredTable, _ key: [String]) {
        (self.table, self.key, belongsToSet) = (table.name, key, table.belongsToSet)
    }

    /// - Parameter first: where the table's columns begin.
    init(_ row: Columns, _ table: StoredTable, from first: Int32 = 0) {
        self.init(table, (0..<table.keyCount).map { row.text(first + $0) })
    }
}

/// The number of rows of a set, and their checksums combined by exclusive or: together they reveal missing rows.
struct RowTally: Hashable, Sendable {
    private(set) var count = 0
    private(set) var sums: Int64 = 0

    init() {}

    init(count: Int, sums: Int64) { (self.count, self.sums) = (count, sums) }

    mutating func add(_ checksum: Int64) {
        count += 1
        sums ^= checksum
    }
}
