import ArgumentParser
import FoundationEssentials
import Postgres

/// What can be said of a server on the command line. Nothing has a value here that was not given: what stands in the
/// environment and in the file comes after it.
struct ServeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The address to listen on (127.0.0.1).", valueName: "address"))
    var host: String?

    @Option(help: ArgumentHelp("The port; 0 takes a free one (5000).", valueName: "number"))
    var port: String?

    @Option(
        help: ArgumentHelp(
            "Where PDFs and the database are kept; each server has one of its own ($XDG_DATA_HOME/postilla/server).",
            valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "Where records are kept: sqlite:PATH, or postgres://user@host:port/db, which keeps everything and may be shared by several servers. A password goes into PGPASSWORD or ~/.pgpass.",
            valueName: "store"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "A public key (PEM) that tokens are signed with; repeat it. RS512:FILE binds an RSA key to RS512 instead of RS256.",
            valueName: "file"))
    var jwtPublicKey: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file with the backend's secret; without it the backend's routes are closed.", valueName: "file"))
    var apiTokenFile: String?

    @Option(help: ArgumentHelp("The certificate chain (PEM) for https.", valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's key (PEM).", valueName: "file"))
    var tlsKey: String?

    @Flag(help: "TLS ends at a proxy in front: plain http on this address is meant, and X-Forwarded-For is believed.")
    var behindProxy = false

    @Option(
        help: ArgumentHelp("At most so many bytes a second of each answer, for trying slow links.", valueName: "bytes"))
    var limitRate: String?

    @Option(
        help: ArgumentHelp(
            "Where /metrics, /healthcheck and /readiness are answered to anybody: a port of this machine, or an address and a port.",
            valueName: "address"))
    var metricsAddress: String?

    @Option(help: ArgumentHelp("text or json: one object a line (text).", valueName: "format"))
    var logFormat: String?

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical (info).", valueName: "level"))
    var logLevel: String?

    @Flag(help: "One line in the log for each request.")
    var logRequests = false

    @Option(
        help: ArgumentHelp(
            "When told to stop: for how long only /readiness says so, before streams end (0s).", valueName: "time"))
    var drain: String?

    @Option(help: ArgumentHelp("A limit, such as streams-per-token=10; repeat it.", valueName: "name=number"))
    var limit: [String] = []

    @Option(help: ArgumentHelp("A file in TOML with the same names: POSTILLA_SERVE_CONFIG.", valueName: "file"))
    var config: String?

    /// Together with the environment and the file.
    ///
    /// - Throws: ``CommandFailure``: a name that is none, a file that cannot be read.
    func settings() throws -> Settings {
        var environment = ProcessInfo.processInfo.environment
        let named = environment.removeValue(forKey: "POSTILLA_SERVE_CONFIG").flatMap { $0.isEmpty ? nil : $0 }
        let file = try (config ?? named).map { ($0, try PrivateFile.read($0)) }
        return try Settings(options: try given(), environment: environment, file: file)
    }

    private func given() throws -> [Setting: [String]] {
        let words: [(Setting, [String])] = [
            (.host, host), (.port, port), (.data, data), (.store, store), (.apiTokenFile, apiTokenFile),
            (.tlsCert, tlsCert), (.tlsKey, tlsKey), (.limitRate, limitRate), (.metricsAddress, metricsAddress),
            (.logFormat, logFormat), (.logLevel, logLevel), (.drain, drain), (.behindProxy, behindProxy ? "true" : nil),
            (.logRequests, logRequests ? "true" : nil),
        ].compactMap { setting, word in word.map { (setting, [$0]) } }
        var given = Dictionary(uniqueKeysWithValues: words)
        if !jwtPublicKey.isEmpty { given[.jwtPublicKey] = jwtPublicKey }
        for text in limit {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let known = LimitSetting.all.first(where: { $0.name == parts[0] }) else {
                let names = LimitSetting.all.map(\.name).joined(separator: ", ")
                throw CommandFailure("--limit \(text) is no NAME=NUMBER with a name among \(names)", .usage)
            }
            given[known.setting] = [parts[1]]
        }
        return given
    }
}

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
