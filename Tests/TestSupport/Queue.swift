private import Synchronization

/// Where messages wait for the program, as in the mailbox of its loop.
package final class Queue<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])

    package init() {}

    package func add(_ message: Message) { messages.withLock { $0.append(message) } }

    /// All that wait, in the order they came.
    package func take() -> [Message] {
        messages.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
