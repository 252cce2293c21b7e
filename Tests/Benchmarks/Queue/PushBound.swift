import Foundation

/// The server's writes for one client's changes, by SQLite alone, with a number of changes per commit: the record and
/// the stored answer of each change; the layer's head and the client's row once per commit.
struct PushBound {
    private let bound: SQLiteBound
    private let records: SQLiteBound.Table
    private let answers: SQLiteBound.Table
    private let clients: SQLiteBound.Table
    var changesPerCommit = 100

    /// - Parameters:
    ///   - path: The database of a server that has applied the changes.
    ///   - count: The number of these changes, all in one layer.
    init(of path: String, layerWith count: Int) throws {
        bound = try SQLiteBound(of: path)
        let layer = "layer = (SELECT layer FROM record GROUP BY layer HAVING count(*) >= \(count) LIMIT 1)"
        records = try SQLiteBound.Table(name: "record", of: path, where: layer)
        clients = try SQLiteBound.Table(name: "client", of: path, where: layer)
        // The server deletes acknowledged answers; these rows are as large as the originals.
        let rows = try records.rows.enumerated().map { index, record in
            guard let id = record.string(1), case .integer(let layer) = record.values[0] else {
                throw BenchmarkError("the server's records are not as expected")
            }
            var row = RawRow()
            row.add(layer)
            row.add("01KAAAAAAAAAAAAAAAAAAAAAAA")
            row.add(Int64(index + 1))
            row.add("0123456789abcdef0123456789abcdef")
            row.add(id)
            row.add("applied")
            row.add(Int64(index + 1))
            row.values.append(.null)
            return row
        }
        answers = SQLiteBound.Table(name: "answer", rows: rows)
    }

    var changes: Int { records.rows.count }

    func run(_ path: String) throws -> Duration {
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let database = try bound.make(path)
        let record = try SQLiteBound.insert(records, into: database)
        let answer = try SQLiteBound.insert(answers, into: database)
        let client = try database.prepare(
            "INSERT OR REPLACE INTO client (layer, id, user_id, last_n, acked) VALUES (?, ?, ?, ?, ?)")
        let head = try database.prepare("UPDATE layer SET head = ? WHERE id = 1")
        let start = ContinuousClock.now
        for first in stride(from: 0, to: changes, by: changesPerCommit) {
            let last = min(first + changesPerCommit, changes)
            try database.transaction {
                for index in first..<last {
                    try record.run(records.rows[index])
                    try answer.run(answers.rows[index])
                }
                for row in clients.rows { try client.run(row) }
                var reached = RawRow()
                reached.add(Int64(last))
                try head.run(reached)
            }
        }
        return ContinuousClock.now - start
    }
}
