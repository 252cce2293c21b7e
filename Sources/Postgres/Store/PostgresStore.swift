package import EngineCore
import SyncProtocol

/// Documents and layers in a PostgreSQL database that several servers may share.
///
/// A reading transaction sees one state of everything. A writing one sees what others have committed, statement by
/// statement, and makes others wait for what it works on: naming a layer takes the layer, and its document against
/// being replaced; ``StoreWriting/hold(_:)`` takes what has no row yet. So revisions are given in the order of commits.
///
/// While the database is away every call throws a ``APIError`` at once: `unavailable`.
package final class PostgresStore: LayerStore {
    let pool: PostgresPool
    package let address: PostgresAddress

    /// Opens the database and brings its tables up to date.
    ///
    /// - Throws: ``PostgresStoreError`` when it cannot be used.
    package init(_ address: PostgresAddress) throws(PostgresStoreError) {
        self.address = address
        pool = PostgresPool(address)
        do { try pool.with { try PostgresSchema.migrate($0, at: address) } } catch let error as PostgresStoreError {
            throw error
        } catch { throw .unusable(address, "\(error)") }
    }

    package func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result {
        try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
            try body(PostgresTransaction($0, isWriting: false))
        }
    }

    package func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        try transaction("BEGIN") { try body(PostgresTransaction($0, isWriting: true)) }
    }

    func transaction<Result>(
        _ begin: String = "BEGIN", _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        try PostgresError.asRefusal {
            try pool.with { connection in
                try connection.execute(begin)
                do {
                    let result = try body(connection)
                    try connection.commit()
                    return result
                } catch {
                    // Where this fails too the connection is lost, and the pool sees that.
                    try? connection.execute("ROLLBACK")
                    throw error
                }
            }
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
            "\(address) was written by a newer version of this program: use that one, or another --store"
        case .unusable(let address, let why): "\(address) cannot be used as a store (\(why))"
        }
    }
}

extension PostgresError {
    /// Passes on what a client can do something with.
    static func asRefusal<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as PostgresError { throw error.refusal ?? error }
    }

    private var refusal: APIError? {
        if isPassing { return APIError(.unavailable, "the server cannot reach its database: try again") }
        if isUnstorableText { return APIError(.invalid, "a text has a character in it that cannot be stored") }
        return nil
    }
}

/// Numbers for PostgreSQL's advisory locks, which end with the transaction that took them. Two names may share one:
/// then somebody waits who need not.
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
