import Annotations
import ArgumentParser
import FoundationEssentials
import InstantCore
import Synchronization

/// The server, and how to speak to it.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Server, such as http://127.0.0.1:5000 (or POSTILLA_SERVER).", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "Server and token source of this profile in config.toml (or POSTILLA_PROFILE).", valueName: "name"),
        completion: .custom { _, _, _ in Profile.names() })
    var profile: String?

    @Flag(help: "Allow sending tokens and secrets over plain http to another machine.")
    var insecureHttp = false

    @Option(
        help: ArgumentHelp("Give up on a server that is silent for this long (default: 10s).", valueName: "time"))
    var timeout: DurationArgument?

    @Flag(name: [.customShort("q"), .long], help: "Write only data and errors, no notices.")
    var quiet = false

    @Option(
        help: ArgumentHelp(
            "Append a debug log to this file: events and requests, never texts or tokens.", valueName: "file"),
        completion: .file())
    var log: String?

    func validate() throws {
        if let timeout, timeout.seconds == 0 { throw ValidationError("--timeout must be at least 1s.") }
        // Parsing is the only step that every command shares.
        if quiet { Output.silenceNotices() }
    }

    /// The time without a sign of life after which a command gives up on a server.
    var patience: Duration { .seconds(timeout?.seconds ?? 10) }

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

    /// - Returns: nil if none is named.
    /// - Throws: ``CommandFailure`` if it does not exist.
    func chosenProfile() throws -> Profile? {
        let environment = ProcessInfo.processInfo.environment["POSTILLA_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        return try (profile ?? environment).map { try Profile.named($0) }
    }

    /// - Throws: An error when no server is given, or its address is not an http address.
    func serverURL(_ argument: String? = nil) throws -> String {
        guard let server = try serverIfGiven(argument) else {
            throw CommandFailure("no server; use --server URL, --profile NAME or POSTILLA_SERVER", .usage)
        }
        return server
    }

    /// The argument counts first, then the option, the profile and the environment.
    ///
    /// - Throws: An error when the address is not an http address.
    func serverIfGiven(_ argument: String? = nil) throws -> String? {
        let environment = ProcessInfo.processInfo.environment["POSTILLA_SERVER"]
        guard let text = try argument ?? server ?? chosenProfile()?.server ?? environment, !text.isEmpty else {
            return nil
        }
        let (address, isCompleted) = try Self.read(text)
        if isCompleted, !Self.hasSaidAddress.exchange(true, ordering: .relaxed) {
            Output.message("the server is \(address.canonical)")
        }
        return address.canonical
    }

    private static let hasSaidAddress = Atomic(false)

    static func checked(_ text: String) throws -> String { try read(text).address.canonical }

    /// Reads the address of a server on a network.
    ///
    /// - Returns: The address, and whether its scheme was added.
    private static func read(_ text: String) throws -> (address: ServerAddress, isCompleted: Bool) {
        let found: (address: ServerAddress, isCompleted: Bool)
        do { found = try ServerAddress.typed(text) } catch {
            throw CommandFailure(error.sentence(about: text), .usage)
        }
        guard !found.address.isSocket else {
            throw CommandFailure(InvalidAddress.scheme.sentence(about: text), .usage)
        }
        return found
    }
}
