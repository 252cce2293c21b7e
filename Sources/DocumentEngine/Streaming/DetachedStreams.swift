import Hummingbird
import NIOCore
import Synchronization

/// The streams that have left the framework: each in one task on the loop of its connection.
///
/// What it circumvents: the framework keeps a request loop, its iterators and a logger for each connection, 16 KB of a
/// listener's 26, for as long as the answer lasts, and this answer lasts for hours. Once a stream has begun,
/// ``StreamTakeoverHandler`` takes the connection over and the framework is told that it is closed. It relies on the types and the
/// order of the framework's channel handlers: the tests of streams fail when those change.
final class DetachedStreams: Sendable {
    private struct State {
        var lines: [ObjectIdentifier: StreamConnection] = [:]
        var areCut = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Takes the connection of a request that is being answered, and goes on with the answer in a task of its own.
    ///
    /// - Parameter body: what is left of the answer.
    /// - Returns: what ends the framework's part of it when it is thrown.
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
        // Detached: what the framework says in its log is not copied for each.
        Task.detached(executorPreference: LoopExecutor(loop: channel.eventLoop)) {
            // Whoever has left meanwhile is told nothing.
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

    /// Returns when all have ended; a task that is cancelled meanwhile cuts them.
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

    /// Thrown where the framework waits for the end of an answer that goes on without it.
    struct DetachedResponse: Error {}
}

/// The connection of a stream that has left the framework.
final class StreamConnection: ResponseBodyWriter, Sendable {
    private let handler: NIOLoopBound<StreamTakeoverHandler>

    init(_ handler: NIOLoopBound<StreamTakeoverHandler>) { self.handler = handler }

    /// - Throws: when it cannot be written any more.
    func write(_ buffer: ByteBuffer) async throws {
        let isHere = handler.eventLoop.inEventLoop
        let sent =
            if isHere { try handler.value.send(buffer) } else {
                try await handler.eventLoop.submit { [handler] in try handler.value.send(buffer) }.get()
            }
        try await sent?.get()
    }

    func finish(_ trailingHeaders: HTTPFields?) {}

    /// Returns when nothing is on its way any more.
    fileprivate func end() async {
        let ended = try? await handler.eventLoop.submit { [handler] in handler.value.end() }.get()
        try? await ended?.get()
    }

    fileprivate func cut() { handler.eventLoop.execute { [handler] in handler.value.cut() } }
}
