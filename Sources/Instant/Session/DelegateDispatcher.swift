import Synchronization

/// Calls a client's delegate: one event after another, from one task at a time.
final class DelegateDispatcher: Sendable {
    private typealias Calls = DelegateEventBuffer<InstantClient, InstantDocumentDescriptor>

    private struct State {
        weak var delegate: (any InstantClientDelegate)?
        var calls = Calls()
        var isCalling = false
    }

    private let state = Mutex(State())

    var delegate: (any InstantClientDelegate)? {
        get { state.withLock(\.delegate) }
        set { state.withLock { $0.delegate = newValue } }
    }

    func send(_ event: InstantEvent, _ client: InstantClient, _ descriptor: InstantDocumentDescriptor) {
        guard event.isForDelegates else { return }
        let begins = state.withLock { state in
            guard state.delegate != nil else { return false }
            state.calls.add(event, client, descriptor)
            defer { state.isCalling = true }
            return !state.isCalling
        }
        if begins { Task { await work() } }
    }

    /// Runs until no call waits.
    private func work() async {
        while let call = next() { await delegate?.receive(call.event, call.client, call.descriptor) }
    }

    private func next() -> Calls.Call? {
        state.withLock { state in
            let call = state.calls.next()
            state.isCalling = call != nil
            return call
        }
    }
}
