import InstantCore
import NIOCore
import Synchronization

/// The progress of one request: what is handed to the connection, and what comes from it.
///
/// A transfer is given up only if it stands still, so a slow link takes the time that it needs. After the last byte of a body
/// the answer may take as long as the body did: what waits in the buffers of the kernel and of proxies has not arrived yet.
final class Motion: Sendable {
    private struct State {
        var patience: TimeAmount
        let start = NIODeadline.now()
        /// nil while nothing is transferred.
        var last: NIODeadline? = .now()
        var moves = 0
    }

    private let state: Mutex<State>
    private let note: @Sendable (_ allowing: TimeAmount, _ isProgress: Bool) -> Void

    /// - Parameters:
    ///   - patience: How long nothing may move.
    ///   - note: Called at each move, with the time for which nothing need follow, and whether it is not the first one.
    init(
        patience: TimeAmount, note: @escaping @Sendable (_ allowing: TimeAmount, _ isProgress: Bool) -> Void
    ) {
        state = Mutex(State(patience: patience))
        self.note = note
    }

    func moved() {
        let moves = state.withLock { state in
            (state.last, state.moves) = (.now(), state.moves + 1)
            return state.moves
        }
        note(.zero, moves > 1)
    }

    /// Notes that the last byte of the request was handed to the connection.
    func sent() {
        let allowed = state.withLock { state in
            (state.last, state.patience) = (.now(), max(state.patience, .now() - state.start))
            // A request in one part is not slow.
            return state.moves > 1 ? state.patience : .zero
        }
        note(allowed, false)
    }

    /// Notes that nothing is transferred until the next move, because the disk is busy.
    func rest() { state.withLock { $0.last = nil } }

    /// Waits until nothing has moved for too long.
    ///
    /// - Returns: For how long.
    func stall() async throws -> TimeAmount {
        while true {
            let (last, patience) = state.withLock { ($0.last ?? .now(), $0.patience) }
            let left = last + patience - .now()
            guard left.nanoseconds > 0 else { return patience }
            try await Task.sleep(for: .nanoseconds(left.nanoseconds))
        }
    }
}

/// Nothing has moved for too long.
struct Stalled: Error {
    var time: TimeAmount
}

extension HTTPTransport {
    /// Runs a request, and cancels it if it stands still.
    ///
    /// - Parameters:
    ///   - time: For how long it may; nil: ``patience``.
    ///   - number: The number of the request in the log.
    /// - Throws: What the body throws; ``Stalled``.
    func moving<Result: Sendable>(
        within time: TimeAmount? = nil, _ number: Int? = nil,
        _ body: @escaping @Sendable (Motion) async throws -> Result
    ) async throws -> Result {
        let motion = Motion(patience: time ?? TimeAmount(patience)) { [recorder] time, isProgress in
            if let number { recorder?.moved(number, allowing: time, isProgress: isProgress) }
        }
        return try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body(motion) }
            group.addTask { throw Stalled(time: try await motion.stall()) }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    /// As ``moving(within:_:_:)``, with every error as a failure of the request.
    func movingOrFailing<Result: Sendable>(
        within time: TimeAmount? = nil,
        _ body: @escaping @Sendable (Motion) async throws -> Result
    ) async throws(SyncFailure) -> Result {
        do { return try await moving(within: time, nil, body) } catch let failure as SyncFailure {
            throw failure
        } catch { throw connectionFailure(error) }
    }
}
