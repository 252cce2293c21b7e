import Synchronization

/// Calls a client's delegate, one event after the other, from one task.
final class Delegation: Sendable {
    private struct State {
        weak var delegate: (any InstantClientDelegate)?
    }

    private typealias Call = (event: InstantEvent, client: InstantClient, descriptor: InstantDocumentDescriptor)

    private let state = Mutex(State())
    private let calls: AsyncStream<Call>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Call.self)
        calls = continuation
        Task { [weak self] in
            for await call in stream { self?.delegate?.receive(call.event, call.client, call.descriptor) }
        }
    }

    deinit { calls.finish() }

    var delegate: (any InstantClientDelegate)? {
        get { state.withLock(\.delegate) }
        set { state.withLock { $0.delegate = newValue } }
    }

    func send(_ event: InstantEvent, _ client: InstantClient, _ descriptor: InstantDocumentDescriptor) {
        guard delegate != nil else { return }
        calls.yield((event, client, descriptor))
    }
}
