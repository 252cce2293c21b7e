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
        /// Contains PDFs, attachments and, unless ``database`` is set, the database.
        package var dataFolder: String
        /// The path of the SQLite file; nil: in the data folder.
        package var database: String?
        package var keys: [VerificationKey]
        package var tokens = TokenPolicy()
        /// A database that stores everything and can be shared with other servers. The data folder then contains only
        /// uploads in progress and the restore stamp.
        package var postgres: PostgresAddress?
        /// The interval between two checks for other servers' changes, and the time without a successful check after
        /// which the server ends its streams.
        package var lookEvery: Duration = .seconds(2)
        package var deafAfter: Duration = .seconds(5)
        /// The backend's secrets, each of which is accepted; empty closes its routes.
        package var secrets: [String]
        package var tls: TLS?
        /// Serves the PDFs of one person on a Unix socket instead of `host` and `port`; nil: an ordinary server.
        package var personal: PersonalOptions?
        /// Bytes per second of each response body; nil: no limit.
        package var rate: Int?
        package var limits = SyncProtocol.ServerLimits()
        package var service = ServiceLimits()
        /// Whether the client's address is the one that the proxy reports, instead of the peer's.
        package var behindProxy = false
        /// The address that serves `/metrics`, `/healthcheck` and `/readiness` without a secret; nil: none.
        package var metrics: ListenAddress?
        /// The path of the audit log, or `-` for standard error; nil: none.
        package var auditLog: String?
        /// Whether each request is logged, on one line.
        package var logsRequests = false
        /// How long, after the stop signal, only `/readiness` reflects it, so that a proxy can switch to another
        /// server.
        package var drain: Duration = .zero
        /// The free bytes of a folder's disk; nil: unknown. Blocks.
        package var freeBytes: @Sendable (String) -> Int64? = DiskSpace.system
        package var tools = PDFTools()
        /// How often the engine checks the time for its streams and participants.
        package var timeEvery: Duration = .seconds(1)
        package var now: @Sendable () -> Timestamp = Server.systemClock
        /// Whether times that all servers on a database compare come from its clock; false where tests set the clock.
        package var usesDatabaseClock = true
        /// How long a statement on PostgreSQL may take.
        package var databasePatience = PostgresStore.defaultPatience
        /// Waits for a time, in milliseconds.
        package var wait: @Sendable (Int64) async throws -> Void = { try await Task.sleep(for: .milliseconds($0)) }
        /// A monotonic clock, for limits.
        package var uptime: @Sendable () -> Duration = Server.steadyClock
        package var logger = Logger(label: "postilla.server")
        /// Whether each cache hit is compared with the cache's source and fails on a difference; for tests.
        package var checksCaches = false

        package init(dataFolder: String, keys: [VerificationKey], secrets: [String] = []) {
            self.dataFolder = dataFolder
            self.keys = keys
            self.secrets = secrets
        }
    }

    /// The paths of PEM files.
    package struct TLS: Hashable, Sendable {
        package var certificate: String
        package var key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// A host and a port (0: any free port). The description is in URL form.
    package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
        package var host: String
        package var port: Int

        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        package var description: String { host.contains(scalar: ":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    package static let systemClock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    package static let steadyClock: @Sendable () -> Duration = { [start = ContinuousClock.now] in
        start.duration(to: .now)
    }
}

extension Server.TLS {
    /// - Throws: the problem with the files.
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
