import Annotations
import EngineCore
import GRDB
import SyncProtocol

/// One transaction over an SQLite connection. Statements are prepared once for each connection.
final class SQLiteTransaction: StoreWriting {
    let database: Database

    init(_ database: Database) { self.database = database }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        var result: Result?
        try database.inSavepoint {
            result = try body()
            return .commit
        }
        return result!
    }

    // MARK: Statements

    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func one<Value>(_ sql: String, _ arguments: StatementArguments, _ read: (Row) throws -> Value) throws -> Value? {
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        return try rows.next().map(read)
    }

    func all<Value>(_ sql: String, _ arguments: StatementArguments, _ read: (Row) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() { values.append(try read(row)) }
        return values
    }
}
