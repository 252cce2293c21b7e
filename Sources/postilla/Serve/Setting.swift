/// One setting of a server. The option (`--metrics-address`), the key in a file (`metrics-address`) and the variable
/// (`POSTILLA_SERVE_METRICS_ADDRESS`) share its name.
struct Setting: Hashable {
    let name: String

    static let host = Setting(name: "host")
    static let port = Setting(name: "port")
    static let data = Setting(name: "data")
    static let store = Setting(name: "store")
    static let jwtPublicKey = Setting(name: "jwt-public-key")
    static let apiTokenFile = Setting(name: "api-token-file")
    static let jwtAudience = Setting(name: "jwt-audience")
    static let jwtIssuer = Setting(name: "jwt-issuer")
    static let maxTokenLifetime = Setting(name: "max-token-lifetime")
    static let refuseTokensIssuedBefore = Setting(name: "refuse-tokens-issued-before")
    static let tlsCert = Setting(name: "tls-cert")
    static let tlsKey = Setting(name: "tls-key")
    static let behindProxy = Setting(name: "behind-proxy")
    static let limitRate = Setting(name: "limit-rate")
    static let metricsAddress = Setting(name: "metrics-address")
    static let logFormat = Setting(name: "log-format")
    static let logLevel = Setting(name: "log-level")
    static let logRequests = Setting(name: "log-requests")
    static let auditLog = Setting(name: "audit-log")
    static let drain = Setting(name: "drain")
    static let stopTimeout = Setting(name: "stop-timeout")

    /// In the order of output.
    static let all: [Setting] =
        [
            host, port, data, store, jwtPublicKey, jwtAudience, jwtIssuer, maxTokenLifetime,
            refuseTokensIssuedBefore, apiTokenFile, tlsCert, tlsKey, behindProxy, limitRate, metricsAddress, logFormat,
            logLevel, logRequests, auditLog, drain,
            stopTimeout,
        ] + LimitSetting.all.map(\.setting)

    var variable: String {
        "POSTILLA_SERVE_"
            + String(name.map { $0 == "-" || $0 == "." ? "_" : Character($0.uppercased()) })
    }

    /// Whether a variable holds several values separated by commas.
    var isList: Bool { [.jwtPublicKey, .jwtAudience, .jwtIssuer, .apiTokenFile].contains(self) }

    /// Whether a running server reads it again, with the files that it names.
    var isReloaded: Bool { self == .jwtPublicKey || self == .apiTokenFile }
}
