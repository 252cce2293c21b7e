import Annotations
import DocumentEngine
import FoundationEssentials
import Logging
import PDFPages

/// The server's configuration, built from the settings of `serve`. It collects every problem, not only the first.
struct ServeConfiguration {
    let settings: Settings
    private(set) var options: Server.Options
    private(set) var problems: [CommandFailure] = []
    /// Settings that work but should be improved.
    private(set) var warnings: [String] = []

    init(_ settings: Settings) async {
        self.settings = settings
        options = Server.Options(dataFolder: "", keys: [])
        attempt { try $0.readAddress() }
        attempt { try $0.readPlace() }
        await readKeys()
        attempt { try $0.readSecret() }
        attempt { try $0.readCertificate() }
        attempt { try $0.readLog() }
        for limit in LimitSetting.all {
            attempt { configuration in
                guard let number = try settings.number(limit.setting, in: limit.range) else { return }
                limit.set(number, in: &configuration.options)
            }
        }
        attempt { configuration in
            configuration.options.rate = try settings.number(.limitRate, in: 1...1_000_000_000_000)
            guard let text = try settings.text(.drain) else { return }
            guard let span = DurationArgument(argument: text), span.seconds <= 3600 else {
                throw settings.wrong(.drain, "must be a time of up to an hour, such as 10s")
            }
            configuration.options.drain = .seconds(span.seconds)
        }
    }

    private mutating func attempt(_ body: (inout ServeConfiguration) throws -> Void) {
        do { try body(&self) } catch let failure as CommandFailure { problems.append(failure) } catch {
            problems.append(CommandFailure("\(error)"))
        }
    }

    // MARK: Where

    private mutating func readAddress() throws {
        options.host = try settings.text(.host) ?? options.host
        options.port = try settings.number(.port, in: 0...65_535) ?? 5000
        options.behindProxy = try settings.isOn(.behindProxy)
        if let text = try settings.text(.metricsAddress) { options.metrics = try address(text) }
        if let metrics = options.metrics, metrics.port != 0,
            (metrics.host, metrics.port) == (options.host, options.port)
        {
            throw settings.wrong(.metricsAddress, "must differ from the address of the server")
        }
        let hasTLS = settings[.tlsCert] != nil
        guard Self.isLoopback(options.host) || hasTLS || options.behindProxy else {
            throw CommandFailure(
                "plain http is not allowed on \(options.host); use --tls-cert and --tls-key, or --behind-proxy",
                .usage)
        }
    }

    /// Parses `9464`, `127.0.0.1:9464` or `[::1]:9464`.
    private func address(_ text: String) throws -> Server.ListenAddress {
        let (host, port) =
            text.lastIndex(of: ":").map { (String(text[..<$0]), text[text.index(after: $0)...]) } ?? (
                "127.0.0.1", text[...]
            )
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard let number = UInt16(port), !bare.isEmpty else {
            throw settings.wrong(.metricsAddress, "must be a port, or an address and a port such as 127.0.0.1:9464")
        }
        return Server.ListenAddress(host: bare, port: Int(number))
    }

    private mutating func readPlace() throws {
        let place = try ServePlace(settings)
        (options.dataFolder, options.database, options.postgres) = (place.folder, place.database, place.postgres)
    }

    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    // MARK: Keys and secrets

    private mutating func readKeys() async {
        let arguments = settings.list(.jwtPublicKey)
        if arguments.isEmpty {
            problems.append(
                CommandFailure(
                    """
                    no --jwt-public-key; tokens cannot be verified without one. Create a key pair with
                      openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
                      openssl pkey -in key.pem -pubout -out key.pub.pem
                    and use --jwt-public-key key.pub.pem. To try postilla without a key: postilla demo
                    """, .usage))
        }
        for argument in arguments {
            do { options.keys.append(try await Self.key(argument)) } catch let failure as CommandFailure {
                problems.append(failure)
            } catch { problems.append(CommandFailure("\(error)")) }
        }
    }

    /// Loads a key given as `FILE` or `ALGORITHM:FILE`.
    private static func key(_ argument: String) async throws -> VerificationKey {
        let parts = argument.split(separator: ":", maxSplits: 1)
        let algorithm = parts.count == 2 ? VerificationKey.Algorithm(rawValue: String(parts[0])) : nil
        let path = algorithm == nil ? argument : String(parts[1])
        do {
            return try await VerificationKey(pem: try PrivateFile.read(path), algorithm: algorithm)
        } catch let problem as VerificationKeyError { throw CommandFailure("\(path): \(problem)", .usage) }
    }

    private mutating func readSecret() throws {
        guard let path = try settings.text(.apiTokenFile) else { return }
        options.apiToken = try PrivateFile.secret(path, otherwise: .usage)
        warnIfOpen(path)
    }

    private mutating func readCertificate() throws {
        let (certificate, key) = (try settings.text(.tlsCert), try settings.text(.tlsKey))
        guard let certificate, let key else {
            guard certificate == nil, key == nil else {
                throw CommandFailure("--tls-cert and --tls-key must be used together", .usage)
            }
            return
        }
        for path in [certificate, key] { _ = try PrivateFile.bytes(path, limit: 1 << 20) }
        warnIfOpen(key)
        let tls = Server.TLS(certificate: certificate, key: key)
        do { try tls.check() } catch {
            throw CommandFailure("\(certificate) and \(key) are not a certificate and its key (PEM): \(error)", .usage)
        }
        options.tls = tls
    }

    private mutating func warnIfOpen(_ path: String) {
        if PrivateFile.isReadableByOthers(path) {
            warnings.append("\(path) is readable by other users; run chmod 600")
        }
    }

    // MARK: The log

    private mutating func readLog() throws {
        let format: LogFormat = try settings.choice(.logFormat) ?? .text
        let level: Logger.Level = try settings.choice(.logLevel) ?? .info
        options.logsRequests = try settings.isOn(.logRequests)
        options.logger = Logger(label: "postilla.server") { _ in
            LogLines(format, level: level, now: { .now }, write: Output.logLine)
        }
    }
}
