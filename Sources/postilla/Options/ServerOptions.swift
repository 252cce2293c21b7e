import ArgumentParser
import FoundationEssentials

/// The server and the local data folder.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Server, such as http://127.0.0.1:5000 (or POSTILLA_SERVER).", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp("Data folder (default: POSTILLA_DATA or $XDG_DATA_HOME/postilla).", valueName: "dir"),
        completion: .directory)
    var dataDir: String?

    @Flag(help: "Allow sending the token over plain http to another machine.")
    var insecureHttp = false

    @Option(
        help: ArgumentHelp(
            "Append a debug log to this file: events and requests, never texts or tokens.", valueName: "file"))
    var log: String?

    /// Opens the log.
    ///
    /// - Returns: nil if none is wanted.
    /// - Throws: ``CommandFailure`` if the path is not that of a regular file.
    func debugLog() throws -> DebugLog? {
        guard let log else { return nil }
        let opened = try DebugLog(log)
        opened.noteStart()
        return opened
    }

    /// - Throws: An error when no server is given, or its address is not an http address.
    func serverURL(_ argument: String? = nil) throws -> String {
        guard let server = try serverIfGiven(argument) else {
            throw CommandFailure("no server; use --server URL or POSTILLA_SERVER", .usage)
        }
        return server
    }

    /// - Throws: An error when the address is not an http address.
    func serverIfGiven(_ argument: String? = nil) throws -> String? {
        let environment = ProcessInfo.processInfo.environment["POSTILLA_SERVER"]
        guard let text = argument ?? server ?? environment, !text.isEmpty else { return nil }
        return try Self.checked(text)
    }

    static func checked(_ text: String) throws -> String {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, !host.isEmpty, url.user == nil, url.query == nil, url.fragment == nil
        else { throw CommandFailure("\(text) is not a server address such as http://127.0.0.1:5000", .usage) }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
