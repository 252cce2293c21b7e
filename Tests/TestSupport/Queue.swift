private import Synchronization

/// A queue of messages for the program, like the one of its loop.
package final class Queue<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])

    package init() {}

    package func add(_ message: Message) { messages.withLock { $0.append(message) } }

    /// Removes and returns all waiting messages, in order of arrival.
    package func take() -> [Message] {
        messages.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
