import EngineCore
import Synchronization

/// Limits concurrency. Further callers wait in a queue; when the queue is full, they are refused.
final class AsyncSemaphore: Sendable {
    private struct State {
        var running = 0
        var lastTicket = 0
        var line: [(ticket: Int, turn: CheckedContinuation<Void, any Error>)] = []
    }

    private let width: Int
    private let line: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - width: the maximum concurrency; at least 1.
    ///   - line: the maximum number of waiting callers.
    init(width: Int, line: Int) {
        self.width = max(1, width)
        self.line = max(0, line)
    }

    /// - Throws: ``APIError`` if the queue is full, `CancellationError` if the task is cancelled while it waits.
    func pass<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await begin()
        defer { end() }
        return try await body()
    }

    var running: Int { state.withLock { $0.running } }
    var waiting: Int { state.withLock { $0.line.count } }

    private enum Place {
        case inside, inLine, outside
    }

    private func begin() async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let place: Place = state.withLock { state in
                    // A task that is already cancelled would wait forever: its cancellation handler has already run.
                    if Task.isCancelled { return .outside }
                    if state.running < width {
                        state.running += 1
                        return .inside
                    }
                    guard state.line.count < line else { return .outside }
                    state.line.append((ticket, turn))
                    return .inLine
                }
                switch place {
                case .inside: turn.resume()
                case .inLine: break
                case .outside:
                    turn.resume(
                        throwing: Task.isCancelled ? CancellationError() : Self.full)
                }
            }
        } onCancel: {
            let turn = state.withLock { state in
                state.line.firstIndex { $0.ticket == ticket }.map { state.line.remove(at: $0).turn }
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    /// Passes the slot to the first waiting caller, or frees it.
    private func end() {
        let next = state.withLock { state in
            if state.line.isEmpty {
                state.running -= 1
                return CheckedContinuation<Void, any Error>?.none
            }
            return state.line.removeFirst().turn
        }
        next?.resume()
    }

    private static var full: APIError {
        APIError(.tooManyRequests, "too many queued PDFs; try again", retryAfter: .seconds(5))
    }
}
