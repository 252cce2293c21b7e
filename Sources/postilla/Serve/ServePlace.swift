import Postgres

/// Where a server keeps what it has.
struct ServePlace {
    let folder: String
    /// Path of an SQLite file that is not in the folder.
    private(set) var database: String?
    private(set) var postgres: PostgresAddress?

    /// - Throws: ``CommandFailure``
    init(_ settings: Settings) throws {
        folder = try settings.text(.data) ?? Folders().data + "/server"
        guard let store = try settings.text(.store) else { return }
        if let address = PostgresAddress(store) {
            postgres = address
        } else if store.hasPrefix("sqlite:"), store.count > 7 {
            database = String(store.dropFirst(7))
        } else {
            throw settings.wrong(.store, "is neither sqlite:PATH nor postgres://user@host:port/db")
        }
    }
}
