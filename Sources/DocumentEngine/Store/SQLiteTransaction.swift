import EngineCore
import GRDB
import SQLite

/// One transaction over an SQLite connection. Statements are prepared once per connection.
struct SQLiteTransaction: StoreWriting, SQLTransaction {
    let database: Database
    let statements: Statements

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        // A full disk ends a transaction early: later statements would be committed without the earlier ones.
        guard database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        try run("SAVEPOINT step")
        do {
            let result = try body()
            try run("RELEASE step")
            return result
        } catch {
            if database.isInsideTransaction {
                try run("ROLLBACK TO step")
                try run("RELEASE step")
            }
            throw error
        }
    }
}
