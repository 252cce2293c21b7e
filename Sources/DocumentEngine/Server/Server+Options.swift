package import Annotations
import FoundationEssentials
package import Logging
import NIOSSL
package import PDFPages
package import Postgres
package import SyncProtocol

extension Server {
    package struct Options: Sendable {
        package var host = "127.0.0.1"
        /// 0: any free port.
        package var port = 0
        /// PDFs are kept in here, and the database, unless ``database`` says otherwise.
        package var dataFolder: String
        /// Path of the SQLite file; nil: in the data folder.
        package var database: String?
        package var keys: [VerificationKey]
        /// A database that other servers may share keeps everything instead; the folder holds what is just arriving.
        package var postgres: PostgresAddress?
        /// Between two looks at what other servers may have done, and how long without one makes a server deaf.
        package var lookEvery: Duration = .seconds(2)
        package var deafAfter: Duration = .seconds(5)
        /// The backend's secret; nil closes its routes.
        package var apiToken: String?
        package var tls: TLS?
        /// Bytes a second of each response body; nil: no limit.
        package var rate: Int?
        package var limits = SyncProtocol.ServerLimits()
        package var service = ServiceLimits()
        /// Where a proxy tells whom a request is from; else that is the other end of the connection.
        package var behindProxy = false
        /// Where `/metrics`, `/healthcheck` and `/readiness` are answered without a secret; nil: nowhere.
        package var metrics: ListenAddress?
        /// One line in the log for each request.
        package var logsRequests = false
        /// After the signal to stop: for how long only `/readiness` tells of it, so that a proxy can turn to another server.
        package var drain: Duration = .zero
        package var tools = PDFTools()
        /// How often the engine looks at the clock for its streams and people.
        package var timeEvery: Duration = .seconds(1)
        package var now: @Sendable () -> Timestamp = Server.systemClock
        /// A clock that never goes back, for limits.
        package var uptime: @Sendable () -> Duration = Server.steadyClock
        package var logger = Logger(label: "postilla.server")
        /// Compares each hit of a cache over the store with the store, and fails where they differ: for tests.
        package var checksCaches = false

        package init(dataFolder: String, keys: [VerificationKey], apiToken: String? = nil) {
            self.dataFolder = dataFolder
            self.keys = keys
            self.apiToken = apiToken
        }
    }

    /// PEM files.
    package struct TLS: Hashable, Sendable {
        package var certificate: String
        package var key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// A host and a port; 0: any free one. Written out as it stands in a URL.
    package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
        package var host: String
        package var port: Int

        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    package static let systemClock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    package static let steadyClock: @Sendable () -> Duration = { [start = ContinuousClock.now] in
        start.duration(to: .now)
    }
}

extension Server.TLS {
    /// - Throws: what is wrong with the files.
    package func check() throws { _ = try NIOSSLContext(configuration: configuration) }

    var configuration: TLSConfiguration {
        get throws {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            return configuration
        }
    }
}
