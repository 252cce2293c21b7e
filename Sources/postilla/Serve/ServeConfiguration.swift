import Annotations
import DocumentEngine
import FoundationEssentials
import InstantCore
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
        await readCredentials()
        attempt { try $0.readTokenPolicy() }
        attempt { try $0.readOldestIssue() }
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
        attempt { try $0.checkStopTimeout() }
    }

    /// A server that is killed while it stops cuts off what it promised to complete.
    private func checkStopTimeout() throws {
        guard let text = try settings.text(.stopTimeout) else { return }
        guard let span = DurationArgument(argument: text), span.seconds > 0 else {
            throw settings.wrong(.stopTimeout, "must be a time such as 60s")
        }
        let drain = Int(options.drain.components.seconds)
        let needed = drain + max(1, options.service.stopSeconds)
        guard needed < span.seconds else {
            throw settings.wrong(
                .stopTimeout,
                """
                (\(span.seconds) s) must exceed drain (\(drain) s) and limits.stop-seconds \
                (\(options.service.stopSeconds) s) together; under systemd, raise TimeoutStopSec with it
                """)
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
        guard IPAddress.isLoopback(host: options.host) || hasTLS || options.behindProxy else {
            throw CommandFailure(
                "plain http is not allowed on \(options.host); use --tls-cert and --tls-key, or --behind-proxy",
                .usage)
        }
    }

    /// Parses `9464`, `127.0.0.1:9464` or `[::1]:9464`.
    private func address(_ text: String) throws -> Server.ListenAddress {
        let (host, port) =
            text.parted(atLast: ":").map { (String($0.before), $0.after) } ?? (
                "127.0.0.1", text[...]
            )
        let bare = host.dropping(prefix: "[")?.dropping(suffix: "]").map(String.init) ?? host
        guard let number = UInt16(port), !bare.isEmpty else {
            throw settings.wrong(.metricsAddress, "must be a port, or an address and a port such as 127.0.0.1:9464")
        }
        return Server.ListenAddress(host: bare, port: Int(number))
    }

    private mutating func readPlace() throws {
        let place = try ServePlace(settings)
        (options.dataFolder, options.database, options.postgres) = (place.folder, place.database, place.postgres)
    }

    // MARK: Keys and secrets

    private mutating func readCredentials() async {
        let credentials = await ServeCredentials(settings)
        (options.keys, options.secrets) = (credentials.keys, credentials.secrets)
        problems += credentials.problems
        warnings += credentials.warnings
    }

    private mutating func readTokenPolicy() throws {
        options.tokens.audiences = try settings.names(.jwtAudience)
        options.tokens.issuers = try settings.names(.jwtIssuer)
        guard let text = try settings.text(.maxTokenLifetime) else { return }
        guard let span = DurationArgument(argument: text), span.seconds > 0 else {
            throw settings.wrong(.maxTokenLifetime, "must be a time such as 24h")
        }
        options.tokens.maxLifetime = .seconds(span.seconds)
    }

    private mutating func readOldestIssue() throws {
        guard let text = try settings.text(.refuseTokensIssuedBefore) else { return }
        guard let time = Timestamp(iso8601: text) else {
            throw settings.wrong(.refuseTokensIssuedBefore, "must be a time such as 2027-01-15T08:00:00Z")
        }
        guard time <= Timestamp.now + TokenVerifier.maxClockDifference else {
            throw settings.wrong(.refuseTokensIssuedBefore, "is in the future, so every token would be refused")
        }
        options.tokens.oldestIssue = time
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
        if let warning = PrivateFile.warning(ifOpen: key) { warnings.append(warning) }
        let tls = Server.TLS(certificate: certificate, key: key)
        do { try tls.check() } catch {
            throw CommandFailure("\(certificate) and \(key) are not a certificate and its key (PEM): \(error)", .usage)
        }
        options.tls = tls
    }

    // MARK: The log

    private mutating func readLog() throws {
        let format: LogFormat = try settings.choice(.logFormat) ?? .text
        let level: Logger.Level = try settings.choice(.logLevel) ?? .info
        options.logsRequests = try settings.isOn(.logRequests)
        options.auditLog = try settings.text(.auditLog)
        options.logger = Logger(label: "postilla.server") { _ in
            LogLines(format, level: level, now: { .now }, write: Output.logLine)
        }
    }
}
