import Annotations
import ArgumentParser
import FoundationEssentials
import Postgres

/// The options that locate a server's data, for all commands that use it.
struct ServePlaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Folder for PDFs and the database, for this server only (default: $XDG_DATA_HOME/postilla/server).",
            valueName: "dir"), completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp(
            "Store for records: sqlite:PATH, or postgres://user@host:port/db, which stores everything and can be shared by several servers. Put the password in PGPASSWORD or ~/.pgpass.",
            valueName: "store"))
    var store: String?

    @Option(
        help: ArgumentHelp("TOML file with the same names (or POSTILLA_SERVE_CONFIG).", valueName: "file"),
        completion: .file())
    var config: String?

    /// Combines the options with the environment and the file.
    ///
    /// - Parameter more: Further options.
    /// - Throws: ``CommandFailure`` for an unknown name or an unreadable file.
    func settings(with more: [Setting: [String]] = [:]) throws -> Settings {
        var environment = ProcessInfo.processInfo.environment
        let named = environment.removeValue(forKey: "POSTILLA_SERVE_CONFIG").flatMap { $0.isEmpty ? nil : $0 }
        let file = try (config ?? named).map { ($0, try PrivateFile.read($0)) }
        var given = more
        given[.data] = data.map { [$0] }
        given[.store] = store.map { [$0] }
        return try Settings(options: given, environment: environment, file: file)
    }
}

/// The location of a server's data.
struct ServePlace {
    let folder: String
    /// The path of an SQLite file outside the folder.
    private(set) var database: String?
    private(set) var postgres: PostgresAddress?

    /// - Throws: ``CommandFailure``
    init(_ settings: Settings) throws {
        folder = try settings.text(.data) ?? Folders().data + "/server"
        guard let store = try settings.text(.store) else { return }
        if let address = PostgresAddress(store) {
            postgres = address
        } else if let path = store.dropping(prefix: "sqlite:"), !path.isEmpty {
            database = String(path)
        } else {
            throw settings.wrong(.store, "must be sqlite:PATH or postgres://user@host:port/db")
        }
    }
}
