import Annotations
import EngineCore
import SyncProtocol

/// One transaction over a connection.
final class PostgresTransaction: StoreWriting {
    let connection: PostgresConnection
    let isWriting: Bool
    private let usesClock: Bool
    /// The numbers of the exclusive locks held; shared ones are not included.
    private var held: Set<Int64> = []
    private var depth = 0

    /// - Parameter usesClock: whether the database's clock counts.
    init(_ connection: PostgresConnection, isWriting: Bool, usesClock: Bool = true) {
        (self.connection, self.isWriting, self.usesClock) = (connection, isWriting, usesClock)
    }

    func time(_ local: Timestamp) throws -> Timestamp {
        guard usesClock else { return local }
        // Not now(), which is when the transaction began: it may have waited for a lock since.
        let now = try one("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", []) { $0.integer(0) }
        return now.map(Timestamp.init(milliseconds:)) ?? local
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        depth += 1
        let before = held
        let name = "s\(depth)"
        defer { depth -= 1 }
        try PostgresError.asRefusal { try connection.execute("SAVEPOINT \(name)") }
        do {
            let result = try body()
            try PostgresError.asRefusal { try connection.execute("RELEASE \(name)") }
            return result
        } catch {
            // The rollback also releases the locks taken since.
            held = before
            try PostgresError.asRefusal { try connection.execute("ROLLBACK TO \(name); RELEASE \(name)") }
            throw error
        }
    }

    // MARK: Locks

    func lock(_ what: LockTarget) throws {
        switch what {
        case .document(let id): try lock(PostgresLock.document(id))
        case .blob(let sha256): try lock(PostgresLock.blob(sha256))
        }
    }

    private func lock(_ number: Int64) throws {
        guard held.insert(number).inserted else { return }
        try run("SELECT pg_advisory_xact_lock($1)", [.integer(number)])
    }

    /// Locks the document in shared mode, then the layer; a transaction that replaces the document waits for all
    /// holders. The order is always the same, so that no holder of a layer waits for its document.
    func lock(_ key: LayerKey) throws {
        guard isWriting, held.insert(PostgresLock.layer(key)).inserted else { return }
        let document = PostgresLock.document(key.document)
        let lock = held.contains(document) ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
        try run(
            "SELECT \(lock)($1), pg_advisory_xact_lock($2)", [.integer(document), .integer(PostgresLock.layer(key))])
    }

    // MARK: Statements. A query for a value that cannot be stored finds nothing.

    func run(_ sql: String, _ values: [PostgresValue]) throws {
        try PostgresError.asRefusal { try connection.run(sql, values) }
    }

    func one<Value>(_ sql: String, _ values: [PostgresValue], _ read: (PostgresRow) throws -> Value) throws -> Value? {
        guard values.allSatisfy(\.isStorable) else { return nil }
        return try PostgresError.asRefusal { try connection.one(sql, values, read) }
    }

    func all<Value>(_ sql: String, _ values: [PostgresValue], _ read: (PostgresRow) throws -> Value) throws -> [Value] {
        guard values.allSatisfy(\.isStorable) else { return [] }
        return try PostgresError.asRefusal { try connection.all(sql, values, read) }
    }
}
