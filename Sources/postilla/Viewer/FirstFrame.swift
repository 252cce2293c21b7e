import Synchronization

/// Defers work that would delay the first frame: the network and the PDF tools. Thread-safe.
final class FirstFrame: Sendable {
    /// nil once the frame is drawn.
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// Runs `body` at once if the frame is drawn, else on the thread that draws it.
    func then(_ body: @escaping @Sendable () -> Void) {
        let isHeld = waiting.withLock { waiting in
            waiting?.append(body)
            return waiting != nil
        }
        if !isHeld { body() }
    }

    /// Runs the deferred work once the frame is visible.
    func wasDrawn() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        for body in bodies ?? [] { body() }
    }
}
