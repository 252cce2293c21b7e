import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// The connections for questions: asked on the thread of the network, with as little in between as there can be, since a
/// person's edit waits for one of them. What comes or goes in streams is the HTTP library's.
final class Lines: Sendable {
    private struct Idle {
        var line: Line
        var since: NIODeadline
    }

    private let address: ServerAddress
    private let loop: any EventLoop
    private let idle: NIOLoopBoundBox<[Idle]>
    private let isSweeping: NIOLoopBoundBox<Bool>
    private let isClosed: NIOLoopBoundBox<Bool>
    /// Of a line that is idle, perhaps.
    private let door = Mutex<Door?>(nil)

    /// So long is a connection kept that nobody uses.
    static let patience = TimeAmount.seconds(30)

    init(_ address: ServerAddress, on loop: any EventLoop = NetworkLoop.group.next()) {
        self.address = address
        self.loop = loop
        idle = NIOLoopBoundBox.makeBoxSendingValue([], eventLoop: loop)
        isSweeping = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: loop)
        isClosed = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: loop)
    }

    /// - Throws: ``HTTPClientError``, `CancellationError`, or what the connection fails of.
    func ask(_ question: Call.Question) async throws -> HTTPClientResponse {
        let call = Call(question)
        return try await wait(for: call) { self.begin(call, $0) }
    }

    /// Whether ``send(_:)`` is worth trying.
    var mayHaveDoor: Bool { door.withLock { $0 != nil } }

    /// Asks by the calling thread, if there is a line at hand. The answer has to be fetched by ``answer(to:)``.
    ///
    /// - Returns: nil: nothing was asked.
    func send(_ question: Call.Question) -> Asked? {
        guard let wire = question.wire, let door = door.withLock({ $0.take() }), door.claim() else { return nil }
        let call = Call(question)
        if door.send(call, wire) { return Asked(call: call, door: door) }
        loop.execute { door.shut() }
        return nil
    }

    /// - Throws: as ``ask(_:)``.
    func answer(to asked: Asked) async throws -> HTTPClientResponse {
        try await wait(for: asked.call) { finish in
            asked.call.begin(on: self.loop, finish)
            asked.door.adopt()
        }
    }

    private func wait(
        for call: Call, _ begin: @escaping @Sendable (@escaping Finish) -> Void
    ) async throws -> HTTPClientResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                inPlace { begin { continuation.resume(with: $0) } }
            }
        } onCancel: {
            loop.execute { call.cancel() }
        }
    }

    private typealias Finish = (Result<HTTPClientResponse, any Error>) -> Void

    /// What was sent before anybody waits for its answer.
    struct Asked: Sendable {
        fileprivate let call: Call
        fileprivate let door: Door
    }

    /// Those that are idle are closed now, the others when they are.
    func close() {
        inPlace { [self] in
            isClosed.value = true
            door.withLock { $0 = nil }
            for idle in idle.value where idle.line.claim() { idle.line.close() }
            idle.value = []
        }
    }

    private func inPlace(_ body: @escaping @Sendable () -> Void) {
        if loop.inEventLoop { body() } else { loop.execute(body) }
    }

    // MARK: On the loop

    private func begin(_ call: Call, _ finish: @escaping Finish) {
        call.begin(on: loop, finish)
        guard call.isOpen else { return }
        while let line = idle.value.popLast()?.line { if line.claim(), line.isOpen { return line.ask(call) } }
        connect(for: call)
    }

    func connect(for call: Call) {
        let address = address
        ClientBootstrap(group: loop)
            .connectTimeout(.seconds(10))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let line = Line(self)
                    if let tls = try Self.tls(address) {
                        try pipeline.addHandler(tls)
                    } else {
                        let door = Door(line)
                        line.door = door
                        try pipeline.addHandler(door)
                    }
                    try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
                    try pipeline.addHandler(line)
                }
            }
            .connect(host: address.bareHost, port: address.port)
            .assumeIsolated()
            .whenComplete { result in
                do {
                    let channel = try result.get()
                    let line = try channel.pipeline.syncOperations.handler(type: Line.self)
                    // Whoever asked has left meanwhile: the next one finds it.
                    if call.isOpen { line.ask(call) } else { self.take(back: line) }
                } catch { call.fail(error) }
            }
    }

    /// nil where nothing is encrypted.
    private static func tls(_ address: ServerAddress) throws -> NIOSSLClientHandler? {
        guard address.isEncrypted else { return nil }
        let name = (try? SocketAddress(ipAddress: address.bareHost, port: 0)) == nil ? address.bareHost : nil
        return try NIOSSLClientHandler(context: context.get(), serverHostname: name)
    }

    /// Made once: it reads all the authorities that this machine trusts.
    private static let context = Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }

    func take(back line: Line) {
        guard !isClosed.value else { return line.close() }
        idle.value.append(Idle(line: line, since: .now()))
        if let free = line.door, free.release() { door.withLock { $0 = free } }
        if !isSweeping.value { sweep() }
    }

    func remove(_ line: Line) { idle.value.removeAll { $0.line === line } }

    func forget(_ line: Line) {
        remove(line)
        door.withLock { if $0 === line.door { $0 = nil } }
    }

    private func sweep() {
        isSweeping.value = true
        loop.scheduleTask(in: Self.patience) { [weak self] in
            guard let self else { return }
            isSweeping.value = false
            let end = NIODeadline.now() - Self.patience
            for idle in idle.value where idle.since <= end && idle.line.claim() { idle.line.close() }
            idle.value.removeAll { $0.since <= end }
            if !idle.value.isEmpty { sweep() }
        }
    }
}
