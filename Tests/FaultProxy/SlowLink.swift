import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// A slow link in front of a server. All connections share its rate in turns; each direction has its own. Bytes arrive
/// later, in bursts at worst: now and then nothing passes for one to three seconds.
package final class SlowLink: Sendable {
    package struct Quality: Sendable {
        /// In each direction; nil for no limit.
        package var bytesPerSecond: Int?
        /// In each direction.
        package var milliseconds: Int64 = 0
        package var stalls = false

        package init(bytesPerSecond: Int? = nil, milliseconds: Int64 = 0, stalls: Bool = false) {
            (self.bytesPerSecond, self.milliseconds, self.stalls) = (bytesPerSecond, milliseconds, stalls)
        }
    }

    /// What has happened so far.
    package struct Tally: Sendable {
        /// Bytes from the clients to the server.
        package var up = 0
        package var down = 0
        package var stalled = Duration.zero

        package static func - (one: Tally, other: Tally) -> Tally {
            Tally(up: one.up - other.up, down: one.down - other.down, stalled: one.stalled - other.stalled)
        }
    }

    package let port: Int
    private let listener: any Channel
    private let wire: NIOLoopBound<Wire>
    private let tally: TallyBox

    package init(to port: Int, _ quality: Quality = Quality(), seed: UInt64 = 1) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let tally = TallyBox()
        let wire = try await loop.submit {
            NIOLoopBound(Wire(loop, quality, tally, SeededRandom(seed: seed)), eventLoop: loop)
        }.get()
        (self.wire, self.tally) = (wire, tally)
        // The buffers of the kernel would hide the link from its users.
        listener = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.socketOption(.so_rcvbuf), value: 8 << 10)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                ClientBootstrap(group: loop).channelOption(.autoRead, value: false)
                    .channelOption(.socketOption(.so_rcvbuf), value: 8 << 10)
                    .connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { server in try wire.value.connect(client, server) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let here = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        self.port = here
        let bound = wire
        loop.scheduleRepeatedTask(initialDelay: .zero, delay: Wire.pace) { task in
            if !bound.value.tick() { task.cancel() }
        }
    }

    deinit {
        listener.close(promise: nil)
        wire.eventLoop.execute { [wire] in wire.value.end() }
    }

    package var url: String { "http://127.0.0.1:\(port)" }
    package var sofar: Tally { tally.value.withLock { $0 } }

    package func become(_ quality: Quality) async throws {
        try await wire.eventLoop.submit { [wire] in wire.value.quality = quality }.get()
    }
}

private final class TallyBox: Sendable {
    let value = Mutex(SlowLink.Tally())
}

/// The link itself, on its event loop.
private final class Wire {
    /// One direction of one connection.
    private final class Flow {
        let from: any Channel
        let to: any Channel
        let way: Fault.Way
        var queue: [(bytes: ByteBuffer, at: NIODeadline)] = []
        var waiting = 0
        var isHeld = false
        var hasEnded = false

        init(_ from: any Channel, _ to: any Channel, _ way: Fault.Way) {
            (self.from, self.to, self.way) = (from, to, way)
        }
    }

    static let pace = TimeAmount.milliseconds(10)
    /// About what one packet carries.
    private static let packet = 1448

    var quality: SlowLink.Quality
    private let loop: any EventLoop
    private let tally: TallyBox
    private var random: SeededRandom
    private var flows: [Flow] = []
    private var room: [Fault.Way: Double] = [:]
    /// The connection that has sent the last packet.
    private var latest: [Fault.Way: ObjectIdentifier] = [:]
    private var last = NIODeadline.now()
    private var nextStall: NIODeadline
    private var stallEnds: NIODeadline?
    private var isOver = false

    init(_ loop: any EventLoop, _ quality: SlowLink.Quality, _ tally: TallyBox, _ random: SeededRandom) {
        (self.loop, self.quality, self.tally, self.random) = (loop, quality, tally, random)
        nextStall = .now() + .seconds(8)
    }

    func end() { isOver = true }

    func connect(_ client: any Channel, _ server: any Channel) throws {
        for flow in [Flow(client, server, .up), Flow(server, client, .down)] {
            flows.append(flow)
            try flow.from.pipeline.syncOperations.addHandler(
                FlowEnd(read: { self.take($0, flow) }, ended: { flow.hasEnded = true }))
        }
        for channel in [client, server] { _ = channel.setOption(.autoRead, value: true) }
    }

    private func take(_ bytes: ByteBuffer, _ flow: Flow) {
        flow.queue.append((bytes, .now() + .milliseconds(quality.milliseconds)))
        flow.waiting += bytes.readableBytes
        hold(flow)
    }

    /// Lets the sender wait while more is queued than the link carries at a time.
    private func hold(_ flow: Flow) {
        let rate = Double(quality.bytesPerSecond ?? 100_000_000)
        let most = max(4 << 10, Int(rate * (Double(quality.milliseconds) / 1000 + 0.1)))
        let isFull = flow.waiting >= most
        guard isFull != flow.isHeld else { return }
        flow.isHeld = isFull
        _ = flow.from.setOption(.autoRead, value: !isFull)
    }

    /// - Returns: Whether the link is still in use.
    func tick() -> Bool {
        let now = NIODeadline.now()
        let time = now - last
        last = now
        if !isStalled(now, time) {
            for way in [Fault.Way.up, .down] { pass(way, now, time) }
        }
        for flow in flows where flow.hasEnded && flow.queue.isEmpty { flow.to.close(promise: nil) }
        flows.removeAll { !$0.from.isActive && !$0.to.isActive }
        return !isOver
    }

    private func isStalled(_ now: NIODeadline, _ time: TimeAmount) -> Bool {
        if let end = stallEnds {
            tally.value.withLock { $0.stalled += .nanoseconds(time.nanoseconds) }
            guard end <= now else { return true }
            (stallEnds, nextStall) = (nil, now + .milliseconds(Int64.random(in: 5_000...20_000, using: &random)))
            return true
        }
        guard quality.stalls, nextStall <= now else { return false }
        stallEnds = now + .milliseconds(Int64.random(in: 1_000...3_000, using: &random))
        return false
    }

    private func pass(_ way: Fault.Way, _ now: NIODeadline, _ time: TimeAmount) {
        let rate = Double(quality.bytesPerSecond ?? 1_000_000_000)
        // What is not used is lost, but for some packets.
        let most = max(rate / 20, Double(2 * Self.packet))
        room[way] = min(most, room[way, default: 0] + rate * Double(time.nanoseconds) / 1_000_000_000)
        while let flow = next(way, now) {
            let count = min(Self.packet, flow.queue[0].bytes.readableBytes)
            // Waits for its turn until the whole packet fits: the others do not pass it.
            guard room[way, default: 0] >= Double(count), let part = flow.queue[0].bytes.readSlice(length: count)
            else { return }
            if flow.queue[0].bytes.readableBytes == 0 { flow.queue.removeFirst() }
            flow.waiting -= count
            room[way, default: 0] -= Double(count)
            tally.value.withLock { if way == .up { $0.up += count } else { $0.down += count } }
            flow.to.writeAndFlush(part, promise: nil)
            hold(flow)
            latest[way] = ObjectIdentifier(flow)
        }
    }

    /// Returns the connection whose turn it is; nil if nothing waits.
    private func next(_ way: Fault.Way, _ now: NIODeadline) -> Flow? {
        let waiting = flows.indices.filter {
            flows[$0].way == way && (flows[$0].queue.first.map { $0.at <= now } ?? false)
        }
        let last = flows.firstIndex { ObjectIdentifier($0) == latest[way] } ?? -1
        return (waiting.first { $0 > last } ?? waiting.first).map { flows[$0] }
    }
}

private final class FlowEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let read: (ByteBuffer) -> Void
    private let ended: () -> Void

    init(read: @escaping (ByteBuffer) -> Void, ended: @escaping () -> Void) { (self.read, self.ended) = (read, ended) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { read(unwrapInboundIn(data)) }
    func channelInactive(context: ChannelHandlerContext) { ended() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
