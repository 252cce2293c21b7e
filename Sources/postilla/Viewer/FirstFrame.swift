import Synchronization

/// Holds back what would take time from the first picture: the network and the PDF tools. Any thread may ask.
final class FirstFrame: Sendable {
    /// nil once it is there.
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// At once, if the picture is there; else on the thread that draws it.
    func then(_ body: @escaping @Sendable () -> Void) {
        let isHeld = waiting.withLock { waiting in
            waiting?.append(body)
            return waiting != nil
        }
        if !isHeld { body() }
    }

    /// The person sees something: now there is time for the rest.
    func wasDrawn() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        for body in bodies ?? [] { body() }
    }
}
