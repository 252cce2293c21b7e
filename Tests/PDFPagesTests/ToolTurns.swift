import Synchronization
import Testing

/// Runs a few tests at a time, as a server does with its PDF jobs. If all of them started their tools at once, each tool
/// would share the processors with hundreds of others and outlast its time limit.
struct ToolTurns: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.turns.take()
        defer { Self.turns.giveBack() }
        try await function()
    }

    private static let turns = Turns(4)
}

extension Trait where Self == ToolTurns {
    /// For tests that run the PDF tools.
    static var inTurns: ToolTurns { ToolTurns() }
}

/// A counting semaphore that blocks no thread; first come, first served.
private final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
