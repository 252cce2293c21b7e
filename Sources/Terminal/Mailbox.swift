internal import CTerminal
private import Glibc
private import Synchronization

/// A queue for messages from any thread to the loop, which wakes once for all pending messages.
package final class Mailbox<Message: Sendable>: Sendable {
    private let waiting = Mutex<[Message]>([])
    /// Readable while messages are pending.
    let wakeUp: Int32
    private let waker: Int32

    package init() throws(TerminalError) {
        var ends: [Int32] = [-1, -1]
        guard ct_pipe(&ends) == 0 else { throw TerminalError(reason: .systemCall("pipe", errno: errno)) }
        (wakeUp, waker) = (ends[0], ends[1])
    }

    deinit {
        close(wakeUp)
        close(waker)
    }

    package func post(_ message: Message) {
        let isFirst = waiting.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        guard isFirst else { return }
        var byte: UInt8 = 1
        while write(waker, &byte, 1) < 0, errno == EINTR {}
    }

    /// Returns all pending messages, in order of arrival.
    func take() -> [Message] {
        var bytes = [UInt8](repeating: 0, count: 16)
        while read(wakeUp, &bytes, bytes.count) > 0 {}
        return waiting.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
