import Annotations
import EngineCore
import EventLoops
import NIOCore
import NIOHTTP1
import SyncProtocol
import Synchronization

/// A listener's socket, for whoever has just committed what it waits for: to write there takes a tenth of what it takes to
/// wake the thread that reads and writes that connection, and the listener is woken before anybody else.
///
/// The connection is its loop's and its stream's. While nothing is on its way there the stream leaves the outlet
/// ``Place/free``; one at a time may take it, writes whole events, and leaves it free again. Before the stream writes
/// anything itself it takes the outlet ``back()``. What the socket did not take at once is the stream's to send.
///
/// The bytes are pieces of a chunked HTTP/1.1 body (RFC 9112 §7.1): there is no outlet where they are encrypted.
final class Outlet: Sendable {
    /// Where the right to write is.
    private enum Place {
        case stream
        case free
        /// At whoever tells of a commit; the stream may be waiting for it.
        case taken(CheckedContinuation<Void, Never>?)
    }

    /// What the stream has to send before anything else.
    struct Rest: Sendable {
        /// The end of what was begun, as it goes over the wire.
        var begun: ByteBuffer?
        var delivery: Delivery?
    }

    private struct State {
        var place = Place.stream
        var rest: Rest?
    }

    /// So many listeners are written to by whoever tells of a commit. More of them are quicker on their own threads.
    static let most = 4
    /// Each is one more open file, of which a server has so many only.
    static let mostInAll = 256
    /// The stream's own way is as quick for what is longer.
    static let longest = 64 << 10

    private let state = Mutex(State())
    private let channel: any Channel
    private let socket: SharedSocket
    private let after: Revision
    private let end: Timestamp

    /// nil where there is no such way. On the thread of the channel's loop.
    ///
    /// - Parameters:
    ///   - after: the listener has all changes up to this revision.
    ///   - end: after it nothing may be told any more.
    init?(_ channel: any Channel, after: Revision, until end: Timestamp) {
        guard channel.eventLoop.inEventLoop, let socket = SharedSocket(channel) else { return nil }
        (self.channel, self.socket, self.after, self.end) = (channel, socket, after, end)
    }

    // MARK: The stream, on its loop

    /// Others may write, if all that the stream wrote has left.
    func release() {
        guard channel.eventLoop.inEventLoop,
            let waiting = try? channel.syncOptions?.getOption(.bufferedWritableBytes), waiting == 0
        else { return }
        state.withLock { if case .stream = $0.place, $0.rest == nil { $0.place = .free } }
    }

    /// Nobody else writes any more until ``release()``.
    func back() async -> Rest? {
        await withCheckedContinuation { continuation in
            let isHere = state.withLock { state in
                if case .taken = state.place {
                    state.place = .taken(continuation)
                    return false
                }
                state.place = .stream
                return true
            }
            if isHere { continuation.resume() }
        }
        return state.withLock { state in
            defer { state.rest = nil }
            return state.rest
        }
    }

    /// The end of what others began, past the encoder of the stream's own pieces.
    func finish(_ begun: ByteBuffer) throws {
        try channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            .writeAndFlush(NIOAny(IOData.byteBuffer(begun)), promise: nil)
    }

    // MARK: Whoever tells of a commit, on any thread

    /// Whether the caller may write now, and has to.
    func take(at now: Timestamp) -> Bool {
        state.withLock { state in
            guard case .free = state.place, now < end else { return false }
            state.place = .taken(nil)
            return true
        }
    }

    /// Writes what it can without waiting, and gives the outlet back.
    ///
    /// - Returns: whether the stream has to be called for the rest.
    func write(_ delivery: Delivery) -> Bool {
        let rest = attempt(delivery)
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .taken(let waiting) = state.place else { return nil }
            state.rest = rest
            state.place = waiting == nil && rest == nil ? .free : .stream
            return waiting
        }
        waiting?.resume()
        return rest != nil
    }

    /// - Returns: what is left.
    private func attempt(_ delivery: Delivery) -> Rest? {
        let pieces = delivery.pieces(after: after)
        let bytes = pieces.reduce(0) { $0 + $1.count }
        guard delivery.end == nil, bytes <= Self.longest else { return Rest(delivery: delivery) }
        guard bytes > 0 else { return nil }
        var piece = ByteBuffer()
        piece.reserveCapacity(bytes + 16)
        piece.writeString(String(bytes, radix: 16) + "\r\n")
        for bytes in pieces { piece.writeBytes(bytes) }
        piece.writeString("\r\n")
        socket.write(&piece)
        return piece.readableBytes == 0 ? nil : Rest(begun: piece)
    }
}
