import EngineCore
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// A running document engine.
///
/// ```swift
/// let server = try await Server(Server.Options(dataFolder: folder, keys: [key], secrets: [secret]))
/// try await server.run { port in print("listening on \(port)") }   // returns after stop()
/// ```
package final class Server: Sendable {
    let options: Options
    private let lock: FolderLock
    private let storage: Storage
    let engine: Engine
    let secrets: BackendSecrets
    let audit: AuditLog?
    private let readiness: Readiness
    private let attachments: Attachments
    private let streams = DetachedStreams()
    private let responder: Responder
    private let metricsAPI: MetricsAPI
    /// nil for an ordinary server.
    private let gate: OwnerGate?
    let localFiles: LocalFiles?
    private let server: HTTPServerBuilder
    private let group = Mutex<ServiceGroup?>(nil)
    private let ports = Mutex<[Endpoint: Int]>([:])

    /// The listening addresses.
    private enum Endpoint: Hashable, Sendable {
        case main, metrics
    }

    /// Opens the store without listening.
    ///
    /// - Throws: ``StoreError``, `PostgresStoreError`, or the problem with the certificate.
    package init(_ options: Options) throws {
        self.options = options
        let metrics = ServerMetrics()
        audit = try options.auditLog.map {
            try AuditLog($0, now: options.now, logger: options.logger, metrics: metrics)
        }
        try PrivateFiles.make(folder: options.dataFolder, mayBeLink: true)
        lock = try FolderLock(folder: options.dataFolder)
        try UnfinishedRestore.check(options.dataFolder)
        storage = try Storage(options)
        if try storage.mark.open() { options.logger.warning("\(Self.restored)") }
        if storage.shared?.store.checksPages == false { options.logger.notice("\(Self.noPageChecksums)") }
        let admission = RequestLimiter(options.service, uptime: options.uptime) { metrics.limited(by: $0) }
        let work = PDFWork(options.service, metrics: metrics)
        secrets = BackendSecrets(options.secrets)
        let verifier = TokenVerifier(
            keys: options.keys, policy: options.tokens, checksKnown: options.checksCaches)
        engine = Engine(
            store: storage.store, verifier: verifier, limits: options.limits, now: options.now, wait: options.wait,
            notices: storage.shared?.notices, checksDigests: options.checksCaches,
            presenceGrace: Int64(options.service.presenceGraceSeconds) * 1000, ended: metrics.ended)
        readiness = Readiness(engine: engine, space: storage.space, uptime: options.uptime)
        attachments = Attachments(
            engine: engine, blobs: storage.attachments, parts: storage.uploadParts,
            limit: options.service.attachmentBytes)
        let intake = PDFIntake(
            engine: engine, blobs: storage.pdfs, attachments: attachments, tools: options.tools,
            logger: options.logger, limit: options.service.pdfBytes, work: work)
        let backend = BackendAPI(
            engine: engine, intake: intake, attachments: attachments, secrets: secrets, admission: admission,
            space: storage.space)
        var sync = SyncAPI(
            engine: engine, attachments: attachments, intake: backend.intake, admission: admission,
            space: storage.space,
            streams: options.rate == nil ? streams : nil)
        let gate = options.personal.map { _ in OwnerGate(logger: options.logger) }
        self.gate = gate
        let localFiles = try options.personal.map { [engine] in
            try LocalFiles(engine: engine, intake: intake, options: $0, logger: options.logger)
        }
        self.localFiles = localFiles
        if let localFiles { sync.prepare = { try await localFiles.prepare() } }
        let local = localFiles.map { LocalFilesAPI(files: $0) }
        responder = Responder(
            routes: RouteLookup(backend: backend, sync: sync, readiness: readiness, local: local),
            workers: engine.workers,
            admission: admission, metrics: metrics, audit: audit, options: options,
            proxyWarning: ProxyWarning(options.logger))
        metricsAPI = MetricsAPI(
            metrics: metrics, engine: engine, work: work, admission: admission, readiness: readiness,
            space: storage.space, damage: storage.damage)
        // Behind a proxy, all connections have its address.
        let limiter =
            options.behindProxy
            ? nil : ConnectionLimiter(options.service) { metrics.limited(by: .connectionsPerAddress) }
        let plain = Self.http(
            options, metrics, limiter, gate,
            ConnectionTimeoutHandler.Observer(opened: metrics.connectionOpened) { [logger = options.logger] in
                metrics.connectionClosed($0, $1?.problem)
                $1?.log($0, to: logger)
            })
        server = try options.tls.map { try HTTPServerBuilder.tls(plain, tlsConfiguration: $0.configuration) } ?? plain
    }

    private static func http(
        _ options: Options, _ metrics: ServerMetrics, _ limiter: ConnectionLimiter? = nil, _ gate: OwnerGate? = nil,
        _ observer: ConnectionTimeoutHandler.Observer = .init()
    ) -> HTTPServerBuilder {
        // One field may take the whole head: a token may be almost as large.
        let maxBytes = MalformedRequestHandler.maxHeadBytes
        let heads = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: maxBytes, maxHeaderListSize: maxBytes,
            maxHeaderFieldCount: MalformedRequestHandler.maxFields)
        let (limits, uptime, logger) = (options.service, options.uptime, options.logger)
        return HTTPServerBuilder { responder in
            ConnectionHandlers(
                base: HTTP1Channel(responder: responder, configuration: .init(httpDecoderConfiguration: heads)),
                pace: { ConnectionTimeoutHandler(limits, uptime: uptime, observer: observer) },
                malformed: { MalformedRequestHandler(logger: logger, metrics: metrics) }, limiter: limiter,
                gate: gate)
        }
    }

    /// Listens until ``stop()`` is called or the task is cancelled; then ends its streams, finishes pending responses
    /// and closes the store.
    ///
    /// - Parameter ready: called once, with the listening port.
    package func run(ready: @escaping @Sendable (Int) -> Void) async throws {
        // Services stop in reverse order: metrics stay available until everything else has ended.
        var services: [any Service] = []
        if let address = options.metrics {
            services.append(
                application(metricsAPI, Self.http(options, metricsAPI.metrics), at: address) { [self] in
                    told(.metrics, $0, ready)
                })
        }
        let address = ListenAddress(host: options.host, port: options.port)
        services += [
            StreamDrainService(streams: streams),
            options.personal.map { [self] in
                quietApplication($0) { [self] in
                    told(.main, 0, ready)
                    localFiles?.call()
                }
            }
                ?? application(responder, server, at: address) { [self] in told(.main, $0, ready) },
            StreamShutdownService(engine: engine), ClockService(engine: engine, every: options.timeEvery),
            DiskSpaceService(space: storage.space, every: options.timeEvery),
            Housekeeping(engine: engine, attachments: attachments, logger: options.logger),
        ]
        // A personal engine's database is in memory, so no backup of it is ever restored.
        if options.personal == nil {
            services.append(RestoreStampService(engine: engine, mark: storage.mark, logger: options.logger))
        }
        if let check = storage.check {
            services.append(
                DamageService(engine: engine, check: check, logger: options.logger, metrics: metricsAPI.metrics))
        }
        if let sharing { services.append(sharing) }
        if let localFiles, let gate {
            services.append(
                LocalFilesService(gate: gate, files: localFiles, logger: options.logger) { [weak self] in
                    await self?.stop()
                })
        }
        services.append(
            DrainService(
                readiness: readiness, duration: options.drain, uptime: options.uptime, logger: options.logger))
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: NamedService(service: $0)) }, logger: quiet)
        configuration.maximumGracefulShutdownDuration =
            options.drain + .seconds(max(1, options.service.stopSeconds))
        let group = ServiceGroup(configuration: configuration)
        self.group.withLock { $0 = group }
        defer {
            storage.close()
            lock.release()
        }
        do { try await group.run() } catch {
            await audit?.close()
            throw error
        }
        await audit?.close()
    }

    private func application<API: HTTPResponder>(
        _ api: API, _ server: HTTPServerBuilder, at address: ListenAddress, ready: @escaping @Sendable (Int) -> Void
    ) -> Application<API> where API.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let delegate: (any AvailableConnectionsDelegate)? =
            options.service.connections > 0
            ? MaximumAvailableConnections(options.service.connections, logger: quiet) : nil
        return Application(
            responder: api, server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), serverName: Self.name,
                availableConnectionsDelegate: delegate),
            onServerRunning: { channel in ready(channel.localAddress?.port ?? 0) }, logger: quiet)
    }

    private func quietApplication(
        _ personal: PersonalOptions, ready: @escaping @Sendable () -> Void
    ) -> any Service {
        QuietApplication(
            responder: responder, server: server,
            configuration: ServerConfiguration(address: .unixDomainSocket(path: personal.socket)),
            ready: { _ in ready() }, logger: quiet)
    }

    /// Records a listening port and calls `ready` when all are known.
    private func told(_ door: Endpoint, _ port: Int, _ ready: (Int) -> Void) {
        let main: Int? = ports.withLock { ports in
            ports[door] = port
            return ports[.metrics] == nil && options.metrics != nil ? nil : ports[.main]
        }
        if let main { ready(main) }
    }

    /// The port of the metrics endpoint while it listens.
    package var metricsPort: Int? { ports.withLock { $0[.metrics] } }

    private var sharing: ClusterSync? {
        storage.shared.map { shared in
            ClusterSync(
                engine: engine, store: shared.store, mark: shared.mark, notices: shared.notices,
                pace: ClusterSync.Intervals(look: options.lookEvery, deaf: options.deafAfter), logger: options.logger)
        }
    }

    /// The value of the `Server` header.
    static let name = "postilla"

    static let restored =
        "the database was restored from a backup; clients reload every layer and show edits that may be lost"

    static let noPageChecksums =
        "the PostgreSQL cluster has no data checksums, so damage on its disk may go unnoticed; see pg_checksums"

    /// Why nothing can be stored; nil: the disk has space.
    package var diskProblem: String? { storage.space.problem.map { "\($0)" } }

    /// Looks through all stored rows for damage. Blocks.
    package func findDamage() throws -> [StoreCheck.Problem] { try storage.check?.problems() ?? [] }

    /// Runs the hourly housekeeping once.
    package func tidy() async throws {
        try await Housekeeping(engine: engine, attachments: attachments, logger: options.logger).tidy()
    }

    package func stop() async { await group.withLock { $0 }?.triggerGracefulShutdown() }

    /// The routes served.
    var routes: [Route] { responder.routes.routes }

    /// The number of open event streams.
    package var listenerCount: Int { engine.listenerCount }

    /// The frameworks' messages about each connection do not help an operator.
    private var quiet: Logger {
        var logger = options.logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}

extension ConnectionTimeoutHandler.Timeout {
    /// Slow clients are usual; a server that does not respond is not.
    fileprivate func log(_ phase: ConnectionTimeouts.Phase, to logger: Logger) {
        logger.log(
            level: problem == .lateAnswer ? .error : .debug, "connection closed by a timeout",
            metadata: ["state": "\(phase)", "reason": "\(problem.rawValue)", "peer": "\(peer ?? "unknown")"])
    }
}

/// A service described by the name of its type. The service group asks each service for its description, and the default
/// description of a structure includes everything it holds: that took a quarter of a personal engine's start.
private struct NamedService: Service, CustomStringConvertible {
    let service: any Service

    var description: String { "\(type(of: service))" }

    func run() async throws { try await service.run() }
}

/// Reports that the server is about to stop and waits, so that proxies can react.
private struct DrainService: Service {
    let readiness: Readiness
    let duration: Duration
    let uptime: @Sendable () -> Duration
    let logger: Logger

    func run() async throws {
        try? await gracefulShutdown()
        logger.notice("stopping")
        readiness.stop()
        let end = uptime() + duration
        while uptime() < end { try await Task.sleep(for: .milliseconds(100)) }
    }
}

/// Waits for the streams that the framework no longer serves.
private struct StreamDrainService: Service {
    let streams: DetachedStreams

    func run() async throws {
        try? await gracefulShutdown()
        await streams.ended()
    }
}

/// Ends the streams on shutdown; they would block it.
private struct StreamShutdownService: Service {
    let engine: Engine

    func run() async throws {
        try? await gracefulShutdown()
        engine.close()
    }
}
