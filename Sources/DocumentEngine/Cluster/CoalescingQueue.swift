import Synchronization

/// What has to be done, gathered until somebody comes for it: said twice it is done once.
final class CoalescingQueue<Element: Hashable & Sendable>: Sendable {
    private let elements = Mutex<Set<Element>>([])
    private let wake: AsyncStream<Void>.Continuation
    /// Says that there is something. For one reader.
    let signals: AsyncStream<Void>

    init() { (signals, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ element: Element) {
        elements.withLock { _ = $0.insert(element) }
        wake.yield()
    }

    /// All there is now.
    func take() -> Set<Element> {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
