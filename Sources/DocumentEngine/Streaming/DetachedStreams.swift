import Hummingbird
import NIOCore
import Synchronization

/// The streams detached from the framework: each runs as one task on its connection's event loop.
///
/// The framework keeps a request loop, its iterators and a logger per connection, 16 of a listener's 26 KB, for as long
/// as the response lasts, which is hours for a stream. Once a stream has started, ``StreamTakeoverHandler`` therefore
/// takes over the connection, and the framework sees it as closed. This relies on the types and the order of the
/// framework's channel handlers; the stream tests fail if those change.
final class DetachedStreams: Sendable {
    private struct State {
        var lines: [ObjectIdentifier: StreamConnection] = [:]
        var areCut = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Takes over a request's connection, and continues the response in a separate task.
    ///
    /// - Parameter body: the rest of the response.
    /// - Returns: the error to throw, which ends the framework's part.
    func take(_ channel: any Channel, _ body: @escaping @Sendable (StreamConnection) async throws -> Void) async throws
        -> DetachedResponse
    {
        let line = try await channel.eventLoop.submit {
            let handler = try channel.pipeline.syncOperations.handler(type: StreamTakeoverHandler.self)
            try handler.take()
            return StreamConnection(NIOLoopBound(handler, eventLoop: channel.eventLoop))
        }.get()
        let isCut = state.withLock { state in
            state.lines[ObjectIdentifier(line)] = line
            return state.areCut
        }
        if isCut { line.cut() }
        // Detached, so that the framework's task-local logger is not copied for each stream.
        Task.detached(executorPreference: LoopExecutor(loop: channel.eventLoop)) {
            // A client that has disconnected needs no error.
            do { try await body(line) } catch {}
            await line.end()
            self.forget(line)
        }
        return DetachedResponse()
    }

    private func forget(_ line: StreamConnection) {
        let waiting = state.withLock { state in
            state.lines[ObjectIdentifier(line)] = nil
            defer { if state.lines.isEmpty { state.waiting = [] } }
            return state.lines.isEmpty ? state.waiting : []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until all streams have ended; cancellation closes their connections.
    func ended() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.lines.isEmpty { state.waiting.append(continuation) }
                    return state.lines.isEmpty
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let lines = state.withLock { state in
                state.areCut = true
                return Array(state.lines.values)
            }
            for line in lines { line.cut() }
        }
    }

    /// Thrown to end the framework's wait for a response that continues without it.
    struct DetachedResponse: Error {}
}

/// The connection of a detached stream.
final class StreamConnection: ResponseBodyWriter, Sendable {
    private let handler: NIOLoopBound<StreamTakeoverHandler>

    init(_ handler: NIOLoopBound<StreamTakeoverHandler>) { self.handler = handler }

    /// - Throws: an error if the connection is closed.
    func write(_ buffer: ByteBuffer) async throws {
        let isHere = handler.eventLoop.inEventLoop
        let sent =
            if isHere { try handler.value.send(buffer) } else {
                try await handler.eventLoop.submit { [handler] in try handler.value.send(buffer) }.get()
            }
        try await sent?.get()
    }

    func finish(_ trailingHeaders: HTTPFields?) {}

    /// Waits until all output is sent.
    fileprivate func end() async {
        let ended = try? await handler.eventLoop.submit { [handler] in handler.value.end() }.get()
        try? await ended?.get()
    }

    fileprivate func cut() { handler.eventLoop.execute { [handler] in handler.value.cut() } }
}
