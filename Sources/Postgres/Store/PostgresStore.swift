package import EngineCore
import SyncProtocol

/// Documents and layers in a PostgreSQL database that several servers can share.
///
/// A read transaction has one snapshot. In a write transaction, each statement sees what others have committed. The
/// transaction locks what it works on: naming a layer locks the layer, and protects its document from replacement;
/// ``StoreWriting/lock(_:)`` locks what has no row yet. Revisions are therefore assigned in commit order.
///
/// While the database is unreachable, every call throws an ``APIError`` at once: `unavailable`. A call also throws it when a
/// statement takes longer than the store's patience, because the database hangs or another client holds a lock. In that
/// case the transaction may have been committed.
package final class PostgresStore: LayerStore {
    let pool: PostgresPool
    package let address: PostgresAddress
    /// Whether PostgreSQL detects damaged pages: rows have no checksum of their own here.
    package let checksPages: Bool
    private let usesClock: Bool

    /// Opens the database and migrates its tables.
    ///
    /// - Parameters:
    ///   - usesClock: whether times that all servers compare come from the database's clock; false where tests set the
    ///     clock.
    ///   - patience: how long a statement may take. Migrations may take longer.
    /// - Throws: ``PostgresStoreError`` if it cannot be used.
    package init(
        _ address: PostgresAddress, usesClock: Bool = true, patience: Duration = defaultPatience
    ) throws(PostgresStoreError) {
        (self.address, self.usesClock) = (address, usesClock)
        pool = PostgresPool(address, patience: patience)
        do {
            checksPages = try pool.withPatience { connection in
                try PostgresSchema.migrate(connection, at: address)
                return try connection.one("SHOW data_checksums") { $0.text(0) } == "on"
            }
        } catch let error as PostgresStoreError { throw error } catch { throw .unusable(address, "\(error)") }
    }

    /// As long as connecting may take.
    package static let defaultPatience: Duration = .seconds(5)

    package func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result {
        try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
            try body(PostgresTransaction($0, isWriting: false, usesClock: usesClock))
        }
    }

    package func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        try transaction("BEGIN") { try body(PostgresTransaction($0, isWriting: true, usesClock: usesClock)) }
    }

    func transaction<Result>(
        _ begin: String = "BEGIN", _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        try PostgresError.asRefusal { try pool.with { try Self.transaction(begin, on: $0, body) } }
    }

    static func transaction<Result>(
        _ begin: String, on connection: PostgresConnection, _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        try connection.execute(begin)
        do {
            let result = try body(connection)
            try connection.commit()
            return result
        } catch {
            // If this fails too, the connection is lost, which the pool detects.
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    package func close() { pool.close() }
}

/// Why a database cannot be used as a store.
package enum PostgresStoreError: Error, Hashable, CustomStringConvertible {
    case newerSchema(PostgresAddress)
    case unusable(PostgresAddress, String)

    package var description: String {
        switch self {
        case .newerSchema(let address):
            "\(address) was written by a newer version; update postilla, or use another --store"
        case .unusable(let address, let why): "cannot use \(address) as a store: \(why)"
        }
    }
}

extension PostgresError {
    /// Converts errors on which a client can act to ``APIError``.
    static func asRefusal<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as PostgresError { throw error.refusal ?? error }
    }

    private var refusal: APIError? {
        if isDiskFull {
            return APIError(.storageFull, "the database's disk is full; nothing was stored", retryAfter: .seconds(30))
        }
        if isPassing { return APIError(.unavailable, "the server's database does not answer; try again") }
        if isUnstorableText { return APIError(.invalid, "a text contains a character that cannot be stored") }
        return nil
    }
}

/// Numbers for PostgreSQL's advisory locks, which end with their transaction. Two names can share a number, which only
/// causes an unnecessary wait.
enum PostgresLock {
    static let schema = number("schema")
    static let mark = number("mark")

    static func document(_ id: String) -> Int64 { number("document " + id) }
    static func layer(_ key: LayerKey) -> Int64 {
        number("layer \(key.document.utf8.count) \(key.document) \(key.name)")
    }
    static func blob(_ sha256: String) -> Int64 { number("blob " + sha256) }

    /// FNV-1a, 64 bits.
    private static func number(_ name: String) -> Int64 {
        Int64(bitPattern: name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}
