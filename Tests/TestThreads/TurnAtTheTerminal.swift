import Synchronization
package import Testing

/// For tests that open a terminal with ncurses, which allows one per process: each waits for its turn, in whatever
/// suite it is.
package struct TurnAtTheTerminal: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true
    private static let queue = Turns()

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.queue.take()
        defer { Self.queue.pass() }
        try await function()
    }
}

extension Trait where Self == TurnAtTheTerminal {
    package static var inTurnAtTheTerminal: TurnAtTheTerminal { TurnAtTheTerminal() }
}

/// First come, first served.
private final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    func pass() {
        let next = state.withLock { state in
            let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            state.isTaken = next != nil
            return next
        }
        next?.resume()
    }
}
