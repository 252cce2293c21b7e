import Annotations
import InstantCore
import SyncProtocol
import Synchronization

/// Does what the synchronizer of one layer decides: sends, listens, waits, keeps tokens, tells.
///
/// One lane takes everything that happens, strictly in order; the store is written to from there and from the threads
/// that edit. Tokens live here, in memory, until nothing needs them any more.
final class LayerPerformer: Sendable {
    let layer: Layer
    let hub: EventHub
    let folders: Folders
    let attachments: AttachmentFiles
    let store: SQLiteStore
    let transport: HTTPTransport
    let pages: PageAhead
    let environment: Environment
    let lockPath: String
    private let lane = Lane(label: "postilla.layer")
    private let state: Mutex<State>
    let published: Mutex<Published>
    /// Called on the lane, after the hub.
    private let onEvent: @Sendable (InstantEvent) -> Void

    struct State {
        var synchronizer: Synchronizer
        var random = SystemRandomNumberGenerator()
        var tokens: [Ticket: String] = [:]
        var nextTicket = 1
        var requests: [Int: Task<Void, Never>] = [:]
        var streams: [StreamID: Task<Void, Never>] = [:]
        var alarm = Alarm()
        var lock: FileLock?
        var storeVersion: Int64?
        var isClosed = false
        var download = DownloadState()
    }

    /// What other threads may read without waiting for the store.
    struct Published {
        var connection: SyncStatus.Connection
        var documentState: DocumentState
        var isSyncing = false
        var sendsAtOnce = false
        var progress: DownloadProgress?
        var problem: String?
        var presence = LayerPresence()
    }

    init(
        folder: String, store: SQLiteStore, folders: Folders, transport: HTTPTransport, environment: Environment,
        hub: EventHub, lock: FileLock?, onEvent: @escaping @Sendable (InstantEvent) -> Void
    ) {
        self.store = store
        self.folders = folders
        attachments = AttachmentFiles(layer: folder)
        self.transport = transport
        pages = PageAhead(transport: transport)
        self.environment = environment
        self.hub = hub
        self.onEvent = onEvent
        layer = Layer(store: store)
        lockPath = Folders.lock(in: folder)
        var random = SystemRandomNumberGenerator()
        let session = ULID.make(at: environment.now(), using: &random)
        let synchronizer = Synchronizer(
            layer: Layer(store: OwnReads(store: store)), isLeading: lock != nil, session: session)
        published = Mutex(
            Published(connection: synchronizer.connection, documentState: synchronizer.cycle.state))
        state = Mutex(State(synchronizer: synchronizer, lock: lock, storeVersion: store.foreignVersion()))
        post(.woke)
        poll()
    }

    /// The layer as edits go to it.
    var editing: Layer { snapshot.sendsAtOnce ? layer.sealingEdits : layer }

    var snapshot: Published { published.withLock { $0 } }

    func post(_ input: Synchronizer.Input) {
        lane.add { self.take(input) }
    }

    /// By the thread that brings it, where nothing stands in the way.
    func postAtOnce(_ input: Synchronizer.Input) {
        lane.doOrAdd { self.take(input) }
    }

    private func take(_ input: Synchronizer.Input) {
        handle { $0.synchronizer.handle(input, now: $1, random: &$0.random) }
    }

    /// - Parameter token: checked by the caller to name this layer.
    func supply(_ token: String) {
        lane.add {
            var refused: InstantError?
            self.handle { state, now in
                if let known = state.synchronizer.tickets.first(where: { state.tokens[$0] == token }) {
                    // The same token twice is one request; once accepted, it is accepted.
                    return state.synchronizer.dataTicket == known ? [.announce(.authenticated(known))] : []
                }
                guard !state.synchronizer.isAuthenticating else {
                    refused = InstantError(.alreadyAuthenticating, "another token is being tried: wait for its answer")
                    return []
                }
                let ticket = Ticket(state.nextTicket)
                state.nextTicket += 1
                state.tokens[ticket] = token
                return state.synchronizer.handle(.tokenSupplied(ticket), now: now, random: &state.random)
            }
            if let refused { self.tell(.didFailReauthentication(refused)) }
        }
    }

    /// Ends everything: the lock is free when this returns, and nothing is told afterwards but the end.
    func close(because error: InstantError) {
        let wasSyncing = state.withLock { state in
            state.isClosed = true
            for task in Array(state.streams.values) + Array(state.requests.values) { task.cancel() }
            (state.streams, state.requests) = ([:], [:])
            state.download.task?.cancel()
            pages.drop()
            state.tokens = [:]
            state.lock = nil
            return state.synchronizer.cycle.isSyncing
        }
        lane.add {
            if wasSyncing { self.tell(.didFailSync(error)) }
            self.tell(.didClose(error))
            self.hub.finish()
        }
    }

    /// Waits until everything posted so far was handled.
    func settle() { lane.wait() }
}

extension LayerPerformer {
    /// On the lane.
    func handle(_ step: (inout State, Timestamp) -> [Synchronizer.Effect]) {
        let events = state.withLock { state -> [InstantEvent] in
            guard !state.isClosed else { return [] }
            let effects = step(&state, environment.now())
            let events = effects.compactMap { perform($0, &state) }
            let needed = Set(state.synchronizer.tickets)
            state.tokens = state.tokens.filter { needed.contains($0.key) }
            startDownloadIfWanted(&state)
            let connection = publish(state)
            return events + connection + finishedDownload(&state)
        }
        for event in events { tell(event) }
    }

    func tell(_ event: InstantEvent) {
        hub.send(event)
        onEvent(event)
    }

    func withState<T: Sendable>(_ body: (inout State) -> T) -> T { state.withLock { body(&$0) } }

    func doOrAdd(_ body: @escaping @Sendable () -> Void) { lane.doOrAdd(body) }

    func onLane(_ body: @escaping @Sendable () -> Void) { lane.add(body) }

    func onLane(afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void) {
        lane.add(afterMilliseconds: delay, body)
    }

    /// - Returns: what is to be told of it.
    private func publish(_ state: State) -> [InstantEvent] {
        let synchronizer = state.synchronizer
        return published.withLock {
            let before = ($0.connection, $0.problem)
            $0.connection = synchronizer.connection
            $0.documentState = synchronizer.cycle.state
            $0.isSyncing = synchronizer.cycle.isSyncing
            $0.sendsAtOnce = synchronizer.sendsAtOnce
            $0.progress = state.download.progress
            $0.problem = synchronizer.problem?.description
            return before == ($0.connection, $0.problem) ? [] : [.didChangeConnection]
        }
    }
}
