import EventLoops
import NIOCore
import NIOHTTP1
import Synchronization

/// The front of a line: a thread that is not the loop's writes a question to the socket itself while the line is idle, in
/// place of waking the thread of the network for it. A person's edit is on its way a tenth of a millisecond sooner.
///
/// The loop learns of it before anything else happens to the line (``adopt()``): the question then goes through the
/// pipeline as every other, so that the answer is expected, and its bytes, which are gone already, end here. It stands
/// first in the pipeline, and only where nothing is encrypted.
///
/// Unchecked: but for what the mutex holds, used on the loop's thread alone.
final class Door: ChannelDuplexHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private struct Sent {
        var call: Call
        /// What the socket did not take at once.
        var rest: ByteBuffer
    }

    private struct State {
        var isIdle = false
        /// nil: there is none, or not any more.
        var socket: SharedSocket?
        var sent: Sent?
    }

    private let state = Mutex(State())
    private let line: Line
    private var context: ChannelHandlerContext?
    /// What passes has left already.
    private var isLetOut = false

    init(_ line: Line) { self.line = line }

    // MARK: Any thread

    /// By whoever has claimed the line.
    ///
    /// - Returns: whether some of it has left: its answer comes to the line. If not, the line is not to be used again.
    func send(_ call: Call, _ wire: ByteBuffer) -> Bool {
        state.withLock { state in
            guard let socket = state.socket else { return false }
            var rest = wire
            socket.write(&rest)
            guard rest.readableBytes < wire.readableBytes else { return false }
            state.sent = Sent(call: call, rest: rest)
            return true
        }
    }

    /// - Returns: whether the line is the caller's now.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isIdle = false }
            return state.isIdle
        }
    }

    // MARK: On the loop

    /// The line is idle.
    ///
    /// - Returns: whether others may ask here now.
    func release() -> Bool {
        state.withLock { state in
            if state.socket == nil { state.socket = context.flatMap { SharedSocket($0.channel) } }
            state.isIdle = true
            return state.socket != nil
        }
    }

    func shut() { line.close() }

    /// Takes over what another thread has sent.
    func adopt() {
        guard let sent = state.withLock({ $0.sent.take() }) else { return }
        line.leaveIdle()
        isLetOut = true
        line.ask(sent.call)
        isLetOut = false
        // Nobody waits for it any more, and what comes is nobody else's answer.
        guard sent.call.isOpen else { return line.close() }
        if sent.rest.readableBytes > 0 { context?.writeAndFlush(wrapOutboundOut(.byteBuffer(sent.rest)), promise: nil) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        line.door = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        adopt()
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        state.withLock { $0.socket = nil }
        adopt()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        adopt()
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isLetOut { promise?.succeed() } else { context.write(data, promise: promise) }
    }

    func flush(context: ChannelHandlerContext) { if !isLetOut { context.flush() } }
}

extension Call.Question {
    /// As it goes over a connection (RFC 9112 §3); nil: with something in it that may not stand there, which the
    /// pipeline finds and explains.
    var wire: ByteBuffer? {
        var wire = ByteBuffer()
        wire.reserveCapacity(1024 + (body?.readableBytes ?? 0))
        wire.writeString("\(head.method.rawValue) \(head.uri) HTTP/1.1\r\n")
        for (name, value) in head.headers { wire.writeString("\(name): \(value)\r\n") }
        let isPlain = wire.readableBytesView.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0D || $0 == 0x0A }
        let breaks = wire.readableBytesView.count { $0 == 0x0D || $0 == 0x0A }
        guard isPlain, breaks == 2 * (head.headers.count + 1) else { return nil }
        wire.writeString("\r\n")
        if let body { wire.writeImmutableBuffer(body) }
        return wire
    }
}
