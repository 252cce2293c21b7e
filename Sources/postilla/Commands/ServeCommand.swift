import Annotations
import ArgumentParser
import Dispatch
import DocumentEngine
import FoundationEssentials
import Logging
import Postgres
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run a server: documents, layers, and the sync plane.")

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The port; 0 takes a free one.", valueName: "number"))
    var port = 5000

    @Option(
        help: ArgumentHelp("Where PDFs and the database are kept; each server has one of its own.", valueName: "dir"))
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

    @Flag(help: "TLS ends at a proxy in front: plain http on this address is meant.")
    var behindProxy = false

    @Option(
        help: ArgumentHelp("At most so many bytes a second of each answer, for trying slow links.", valueName: "bytes"))
    var limitRate: Int?

    @Flag(help: "Look at keys, secret and store, say what is wrong, and do not listen.")
    var check = false

    @Flag(help: .hidden)
    var exitWithStdin = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together.")
        }
        guard limitRate.map({ $0 > 0 }) ?? true else {
            throw ValidationError("--limit-rate is bytes per second, above 0.")
        }
    }

    func run() async throws {
        let server: Server
        do { server = try Server(try await options()) } catch let failure as CommandFailure { throw failure } catch {
            throw CommandFailure("\(error)")
        }
        if check {
            Output.message("All is in order: \(jwtPublicKey.count) key(s), store and secret can be used.")
            return
        }
        let scheme = tlsCert == nil ? "http" : "https"
        let host = host.contains(":") ? "[\(host)]" : host
        if exitWithStdin {
            Task {
                await Self.endOfStandardInput()
                await server.stop()
            }
        }
        let signals = Task { await Self.obeySignals(server) }
        defer { signals.cancel() }
        do {
            try await server.run { port in
                var line = JSONWriter()
                line.object { $0.member("server", "\(scheme)://\(host):\(port)") }
                Output.data(line.text + "\n")
            }
        } catch {
            throw CommandFailure("cannot listen on \(host):\(port): \(error)")
        }
    }

    private func options() async throws -> Server.Options {
        guard !jwtPublicKey.isEmpty else {
            throw CommandFailure(
                """
                no --jwt-public-key: without one no token can be checked. Make a pair with
                  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
                  openssl pkey -in key.pem -pubout -out key.pub.pem
                and start with --jwt-public-key key.pub.pem; or look around with: postilla demo
                """, .usage)
        }
        guard isLoopback || tlsCert != nil || behindProxy else {
            throw CommandFailure(
                "tokens do not travel over plain http: to listen on \(host) give --tls-cert and --tls-key, or --behind-proxy",
                .usage)
        }
        var keys: [VerificationKey] = []
        for argument in jwtPublicKey { keys.append(try await key(argument)) }
        let secret = try apiTokenFile.map { try PrivateFile.read($0).trimmed }
        if let apiTokenFile, secret?.isEmpty == true { throw CommandFailure("\(apiTokenFile) is empty", .usage) }
        var options = Server.Options(
            dataFolder: try data ?? Folders().data + "/server", keys: keys, apiToken: secret)
        if let store {
            if let address = PostgresAddress(store) {
                options.postgres = address
            } else if store.hasPrefix("sqlite:"), store.count > 7 {
                options.database = String(store.dropFirst(7))
            } else {
                throw CommandFailure("--store is neither sqlite:PATH nor postgres://user@host:port/db", .usage)
            }
        }
        options.host = host
        options.port = port
        options.rate = limitRate
        options.behindProxy = behindProxy
        if let tlsCert, let tlsKey { options.tls = Server.TLS(certificate: tlsCert, key: tlsKey) }
        options.logger = Logger(label: "postilla.server") { StreamLogHandler.standardError(label: $0) }
        return options
    }

    /// `FILE`, or `ALGORITHM:FILE`.
    private func key(_ argument: String) async throws -> VerificationKey {
        let parts = argument.split(separator: ":", maxSplits: 1)
        let algorithm = parts.count == 2 ? VerificationKey.Algorithm(rawValue: String(parts[0])) : nil
        let path = algorithm == nil ? argument : String(parts[1])
        do {
            return try await VerificationKey(pem: try PrivateFile.read(path), algorithm: algorithm)
        } catch let problem as KeyProblem { throw CommandFailure("\(path): \(problem)", .usage) }
    }

    private var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The first one lets the server end what it has begun; the second ends it where it is.
    private static func obeySignals(_ server: Server) async {
        var isStopping = false
        for await _ in await UnixSignalsSequence(trapping: [.sigterm, .sigint]) {
            if isStopping { ExitStatus.leave(.interrupted) }
            isStopping = true
            Task { await server.stop() }
        }
    }

    /// On a thread of its own: a read that waits must not hold one of the pool's.
    private static func endOfStandardInput() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "postilla.stdin").async {
                var byte: UInt8 = 0
                while true {
                    let count = read(STDIN_FILENO, &byte, 1)
                    if count == 0 || count < 0 && errno != EINTR { break }
                }
                continuation.resume()
            }
        }
    }
}
