package import Annotations
import EngineCore
import FoundationEssentials
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOSSL
package import PDFPages
package import Postgres
import ServiceLifecycle
package import SyncProtocol
import Synchronization
package import UnixSignals

/// A running document engine.
///
/// ```swift
/// let server = try await Server(Server.Options(dataFolder: folder, keys: [key], apiToken: secret))
/// try await server.run { port in print("listening on \(port)") }   // returns after stop()
/// ```
package final class Server: Sendable {
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
        package var limits = SyncProtocol.Limits()
        /// Bytes of one attachment.
        package var attachmentBytes: Int64 = 32 << 20
        package var tools = PDFTools()
        package var now: @Sendable () -> Timestamp = Server.systemClock
        package var logger = Logger(label: "postilla.server")

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

    private let options: Options
    private let lock: FolderLock
    private let storage: Storage
    private let engine: Engine
    private let attachments: Attachments
    private let responder: Responder
    private let server: HTTPServerBuilder
    private let group = Mutex<ServiceGroup?>(nil)

    /// Opens the store; nothing listens yet.
    ///
    /// - Throws: ``StoreError``, or what is wrong with the certificate.
    package init(_ options: Options) throws {
        self.options = options
        try PrivateFiles.make(folder: options.dataFolder)
        lock = try FolderLock(folder: options.dataFolder)
        storage = try Storage(options)
        if try storage.mark.open() { options.logger.warning("\(Self.restored)") }
        engine = Engine(
            store: storage.store, limits: options.limits, now: options.now, notices: storage.shared?.notices)
        attachments = Attachments(engine: engine, blobs: storage.attachments, limit: options.attachmentBytes)
        let intake = Intake(engine: engine, blobs: storage.pdfs, tools: options.tools, logger: options.logger)
        responder = Responder(
            backend: BackendPlane(
                engine: engine, intake: intake, attachments: attachments, secret: BackendSecret(options.apiToken)),
            sync: SyncPlane(
                engine: engine, verifier: TokenVerifier(keys: options.keys), blobs: storage.pdfs,
                attachments: attachments),
            rate: options.rate, logger: options.logger)
        let heads = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)
        let plain = HTTPServerBuilder.http1(
            configuration: .init(idleTimeout: .seconds(120), httpDecoderConfiguration: heads))
        server = try options.tls.map { try HTTPServerBuilder.tls(plain, tlsConfiguration: $0.configuration) } ?? plain
    }

    /// Listens until ``stop()`` is called, the task is cancelled, or one of the signals comes; then ends its streams,
    /// finishes what it is answering and closes the store.
    ///
    /// - Parameter ready: called once, with the port that is listened on.
    package func run(stoppingAt signals: [UnixSignal] = [], ready: @escaping @Sendable (Int) -> Void) async throws {
        let application = Application(
            responder: responder, server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: "postilla"),
            onServerRunning: { channel in ready(channel.localAddress?.port ?? 0) }, logger: quiet)
        var services: [any Service] = [
            application, Ending(engine: engine),
            Housekeeping(engine: engine, attachments: attachments, logger: options.logger),
            Marking(engine: engine, mark: storage.mark, logger: options.logger),
        ]
        if let sharing { services.append(sharing) }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: signals, logger: quiet))
        self.group.withLock { $0 = group }
        defer {
            storage.close()
            lock.release()
        }
        try await group.run()
    }

    private var sharing: Sharing? {
        storage.shared.map { shared in
            Sharing(
                engine: engine, store: shared.store, mark: shared.mark, notices: shared.notices,
                pace: Sharing.Pace(look: options.lookEvery, deaf: options.deafAfter), logger: options.logger)
        }
    }

    static let restored =
        "the database was restored from a backup: clients load every layer anew and show what may be lost"

    /// What is done every hour while it runs: forgets what nobody can need any more.
    package func tidy() async throws {
        try await Housekeeping(engine: engine, attachments: attachments, logger: options.logger).tidy()
    }

    package func stop() async { await group.withLock { $0 }?.triggerGracefulShutdown() }

    /// How many streams of events are open.
    package var listenerCount: Int { engine.listenerCount }

    package static let systemClock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// What the frameworks have to say of every connection is of no use to an operator.
    private var quiet: Logger {
        var logger = options.logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}

/// Ends the streams when the server is told to stop; they would hold it for ever.
private struct Ending: Service {
    let engine: Engine

    func run() async throws {
        try? await gracefulShutdown()
        engine.close()
    }
}

extension Server.TLS {
    fileprivate var configuration: TLSConfiguration {
        get throws {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            return configuration
        }
    }
}
