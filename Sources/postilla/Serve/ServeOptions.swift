import Annotations
import ArgumentParser
import DocumentEngine

/// The command line options of `serve`. They have no defaults here, because the environment and the file
/// supply the missing ones.
struct ServeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Address to listen on (default: 127.0.0.1).", valueName: "address"))
    var host: String?

    @Option(help: ArgumentHelp("Port; 0 picks a free one (default: 5000).", valueName: "number"))
    var port: String?

    @OptionGroup var place: ServePlaceOptions

    @Option(
        help: ArgumentHelp(
            "Public key (PEM) to verify tokens; repeatable. RS512:FILE binds an RSA key to RS512 instead of RS256.",
            valueName: "file"), completion: .file())
    var jwtPublicKey: [String] = []

    @Option(
        help: ArgumentHelp("Accept only tokens for this audience (aud); repeatable (default: any).", valueName: "name"))
    var jwtAudience: [String] = []

    @Option(
        help: ArgumentHelp("Accept only tokens of this issuer (iss); repeatable (default: any).", valueName: "name"))
    var jwtIssuer: [String] = []

    @Option(
        help: ArgumentHelp(
            "Accept only tokens valid for at most this long, such as 24h; they need iat (default: any).",
            valueName: "time"))
    var maxTokenLifetime: String?

    @Option(
        help: ArgumentHelp(
            "Refuse tokens issued before this time, such as 2027-01-15T08:00:00Z, and tokens without iat (default: none).",
            valueName: "time"))
    var refuseTokensIssuedBefore: String?

    @Option(
        help: ArgumentHelp(
            "File with the backend's secret, at least \(BackendSecrets.minLength) characters; repeatable. Without one, the backend API is closed.",
            valueName: "file"), completion: .file())
    var apiTokenFile: [String] = []

    @Option(help: ArgumentHelp("Certificate chain (PEM) for https.", valueName: "file"), completion: .file())
    var tlsCert: String?

    @Option(help: ArgumentHelp("Key of the certificate (PEM).", valueName: "file"), completion: .file())
    var tlsKey: String?

    @Flag(help: "A proxy in front terminates TLS: allow plain http, and trust X-Forwarded-For.")
    var behindProxy = false

    @Option(
        help: ArgumentHelp("Bytes per second of each response, to simulate slow links.", valueName: "bytes"))
    var limitRate: String?

    @Option(
        help: ArgumentHelp(
            "Serve /metrics, /healthcheck and /readiness here without authentication: a local port, or an address and a port.",
            valueName: "address"))
    var metricsAddress: String?

    @Option(
        help: ArgumentHelp("text, or json with one object per line (default: text).", valueName: "format"),
        completion: .list(["text", "json"]))
    var logFormat: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical (default: info).", valueName: "level"),
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?

    @Flag(help: "Log each request.")
    var logRequests = false

    @Option(
        help: ArgumentHelp(
            "Log uploads, PDF reads, deletions and revocations as JSON lines in this file; - is standard error.",
            valueName: "file"), completion: .file())
    var auditLog: String?

    @Option(
        help: ArgumentHelp(
            "How long to keep working on shutdown, with /readiness returning 503, before streams end (default: 0s).",
            valueName: "time"))
    var drain: String?

    @Option(
        help: ArgumentHelp(
            "When the supervisor kills a server that is told to stop; drain and stop-seconds must fit (default: never).",
            valueName: "time"))
    var stopTimeout: String?

    @Option(help: ArgumentHelp("Limit, such as streams-per-token=10; repeatable.", valueName: "name=number"))
    var limit: [String] = []

    /// Combines the options with the environment and the file.
    ///
    /// - Throws: ``CommandFailure`` for an unknown name or an unreadable file.
    func settings() throws -> Settings { try place.settings(with: try given()) }

    private func given() throws -> [Setting: [String]] {
        let words: [(Setting, [String])] = [
            (.host, host), (.port, port),
            (.maxTokenLifetime, maxTokenLifetime), (.refuseTokensIssuedBefore, refuseTokensIssuedBefore),
            (.auditLog, auditLog), (.tlsCert, tlsCert), (.tlsKey, tlsKey),
            (.limitRate, limitRate), (.metricsAddress, metricsAddress),
            (.logFormat, logFormat), (.logLevel, logLevel), (.drain, drain),
            (.stopTimeout, stopTimeout), (.behindProxy, behindProxy ? "true" : nil),
            (.logRequests, logRequests ? "true" : nil),
        ].compactMap { setting, word in word.map { (setting, [$0]) } }
        var given = Dictionary(uniqueKeysWithValues: words)
        let lists: [(Setting, [String])] = [
            (.jwtPublicKey, jwtPublicKey), (.jwtAudience, jwtAudience), (.jwtIssuer, jwtIssuer),
            (.apiTokenFile, apiTokenFile),
        ]
        for (setting, words) in lists where !words.isEmpty { given[setting] = words }
        for text in limit {
            let parts = text.split(scalar: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let known = LimitSetting.all.first(where: { $0.name == parts[0] }) else {
                let names = LimitSetting.all.map(\.name).joined(separator: ", ")
                throw CommandFailure("--limit \(text) is not NAME=NUMBER; the names are \(names)", .usage)
            }
            given[known.setting] = [parts[1]]
        }
        return given
    }
}
