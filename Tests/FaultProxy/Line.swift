import NIOCore

/// One connection through the proxy, in both directions, and its fault. Used on its loop only.
final class Line {
    private let fault: Fault
    private let client: any Channel
    private let server: any Channel
    private var passed: [Fault.Way: Int] = [:]
    private var isDead = false
    private var isHolding = false
    /// The start of the request heads, as far as needed.
    private var asked = ""
    private var queue: [(ByteBuffer, Fault.Way)] = []
    /// The bytes in the queue.
    private var waiting: [Fault.Way: Int] = [:]
    private var isTicking = false

    private static let ticksPerSecond = 50
    /// The most bytes that a slow line takes before it passes them on: its sender has to wait like those of a real one.
    private static let most = 16 << 10

    init(fault: Fault, client: any Channel, server: any Channel) {
        (self.fault, self.client, self.server) = (fault, client, server)
    }

    func take(_ bytes: ByteBuffer, _ way: Fault.Way) {
        guard !isDead else { return }
        switch fault {
        case .none, .refuse: pass(bytes, way)
        case .reset(let limit, way): cut(bytes, way, after: limit) { $0.reset() }
        case .close(let limit, way): cut(bytes, way, after: limit) { $0.close(promise: nil) }
        case .stall(let limit, way): cut(bytes, way, after: limit) { _ in }
        case .garbage(let limit, way): spoil(bytes, way, after: limit)
        case .slow(let rate):
            queue.append((bytes, way))
            hold(back: way, bytes.readableBytes)
            tick(rate / Self.ticksPerSecond)
        case .buffer(let text): hold(bytes, way, text)
        case .loseAnswers(let text): lose(bytes, way, text)
        case .forbid(let word): forbid(bytes, way) { $0.contains(word) }
        case .limit(let most): forbid(bytes, way, "413 Content Too Large") { Self.bodyBytes(in: $0) > most }
        case .reset, .close, .stall, .garbage: pass(bytes, way)
        }
    }

    /// Closes both ends once one has closed.
    func ended() {
        if case .stall = fault, isDead { return }
        client.close(promise: nil)
        server.close(promise: nil)
    }

    private func pass(_ bytes: ByteBuffer, _ way: Fault.Way) {
        passed[way, default: 0] += bytes.readableBytes
        (way == .up ? server : client).writeAndFlush(bytes, promise: nil)
    }

    private func cut(
        _ bytes: ByteBuffer, _ way: Fault.Way, after limit: Int, _ end: @escaping @Sendable (any Channel) -> Void
    ) {
        var bytes = bytes
        let left = limit - passed[way, default: 0]
        guard bytes.readableBytes > left, let rest = bytes.readSlice(length: max(0, left)) else {
            return pass(bytes, way)
        }
        isDead = true
        let (client, server) = (client, server)
        (way == .up ? server : client).writeAndFlush(rest).whenComplete { _ in
            end(client)
            end(server)
        }
    }

    private func spoil(_ bytes: ByteBuffer, _ way: Fault.Way, after limit: Int) {
        var bytes = bytes
        let left = limit - passed[way, default: 0]
        guard left >= 0, bytes.readableBytes > left, let first = bytes.readSlice(length: left) else {
            return pass(bytes, way)
        }
        pass(first, way)
        pass(ByteBuffer(bytes: (0..<97).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }), way)
        // Only once on this line.
        passed[way, default: 0] += limit + 1
        pass(bytes, way)
    }

    private func lose(_ bytes: ByteBuffer, _ way: Fault.Way, _ text: String) {
        if way == .up {
            asked += String(buffer: bytes)
            if asked.contains(text) { isHolding = true }
            asked = String(asked.suffix(text.count))
        }
        guard way == .down, isHolding else { return pass(bytes, way) }
        isDead = true
        client.reset()
        server.close(promise: nil)
    }

    private func hold(_ bytes: ByteBuffer, _ way: Fault.Way, _ text: String) {
        if way == .up {
            asked = String((asked + String(buffer: bytes)).suffix(4096))
            if asked.contains(text) { isHolding = true }
        }
        if way == .up || !isHolding { pass(bytes, way) }
    }

    /// The length of the body that a request head states; 0 if there is none.
    private static func bodyBytes(in text: String) -> Int {
        text.prefix(1000).firstMatch(of: /content-length: (\d+)/.ignoresCase()).flatMap { Int($0.1) } ?? 0
    }

    private func forbid(
        _ bytes: ByteBuffer, _ way: Fault.Way, _ status: String = "403 Forbidden", _ isForbidden: (String) -> Bool
    ) {
        guard way == .up, isForbidden(String(buffer: bytes)) else { return pass(bytes, way) }
        isDead = true
        let page = "<html><h1>\(status)</h1></html>"
        let answer =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(page)"
        let (client, server) = (client, server)
        client.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in
            client.close(promise: nil)
            server.close(promise: nil)
        }
    }

    private func tick(_ bytesPerTick: Int) {
        guard !isTicking, !queue.isEmpty else { return }
        isTicking = true
        let line = NIOLoopBound(self, eventLoop: client.eventLoop)
        client.eventLoop.scheduleTask(in: .milliseconds(1000 / Int64(Self.ticksPerSecond))) {
            line.value.isTicking = false
            line.value.passSome(max(1, bytesPerTick))
            line.value.tick(bytesPerTick)
        }
    }

    /// Lets a sender wait while the queue is full.
    private func hold(back way: Fault.Way, _ bytes: Int) {
        let was = waiting[way, default: 0]
        waiting[way] = was + bytes
        let isFull = was + bytes >= Self.most
        guard isFull != (was >= Self.most) else { return }
        _ = (way == .up ? client : server).setOption(.autoRead, value: !isFull)
    }

    private func passSome(_ limit: Int) {
        guard !queue.isEmpty else { return }
        let way = queue[0].1
        let length = min(limit, queue[0].0.readableBytes)
        guard let some = queue[0].0.readSlice(length: length) else { return }
        if queue[0].0.readableBytes == 0 { queue.removeFirst() }
        hold(back: way, -length)
        pass(some, way)
    }
}

/// The handler that links a line to one of its two connections.
final class LineEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let line: Line
    private let way: Fault.Way

    init(_ line: Line, _ way: Fault.Way) { (self.line, self.way) = (line, way) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { line.take(unwrapInboundIn(data), way) }
    func channelInactive(context: ChannelHandlerContext) { line.ended() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
