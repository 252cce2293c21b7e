import Annotations
import Authorization
import Dispatch
import InstantCore
import SyncProtocol
import Synchronization

/// The performer of one layer's synchronizer: requests, streams, timers, tokens and events.
///
/// A serial queue handles every input, strictly in order; the synchronizer reads and writes the store there. State that
/// other threads need without waiting for the disk is guarded by a small separate lock. Tokens are held here, in
/// memory, until they are no longer needed.
final class LayerPerformer: Sendable {
    let hub: EventHub
    let folders: Folders
    let attachments: AttachmentFiles
    let stores: LayerStores
    let open: OpenStore
    let transport: HTTPTransport
    let pages: PagePrefetcher
    let environment: Environment
    private let lockPath: String
    private let claimPath: String
    private let proof = LeadProof()
    let queue = DispatchQueue(label: "postilla.layer")
    /// Locked on the queue only: never contended, even while the store waits.
    let confined: Mutex<Confined>
    private let shared = Mutex(Shared())
    let published: Mutex<Published>
    let uploads = Mutex(UploadReport())
    /// Called on the queue when a successor is to continue in another store.
    let onMove: @Sendable (OpenStore, Luggage) -> Void
    /// Called on the queue, after ``onMove``, with the tasks that are ending.
    let onLeave: @Sendable ([Task<Void, Never>]) -> Void
    /// Called on the queue, before an event is sent: whether it is not for the application, because a token provider is
    /// asked first.
    private let holdsBack: @Sendable (InstantEvent) -> Bool
    /// Called on the queue, after the hub.
    private let onEvent: @Sendable (InstantEvent) -> Void

    /// State confined to the queue.
    struct Confined {
        var synchronizer: Synchronizer
        var random = SystemRandomNumberGenerator()
        var nextTicket = 1
        var alarm = CoalescingTimer()
        var wantsLock: Bool
        /// The permissions that the last token claims, until the server has answered. A refused one still takes `write`
        /// away.
        var restriction: Grant?
        var storeVersion: Int64?
        var leaderWatch = LeaderWatch()
        /// Watches a claim while no process leads.
        var idleClaimWatch = LeaderWatch()
        var syncedBy: SyncingProcess?
        var download = DownloadState()
        /// What this process shows to others.
        var presence: OwnPresence?
        /// Whether a predecessor announced the beginning of a cycle, and nothing its end.
        var hasBegun = false
        /// Whether this process has the store to itself for a moment.
        var isAlone = false
        var nextLeftovers: Timestamp?
        /// When copies of the layer under other spellings of the address are looked for again.
        var nextCopies: Timestamp?
        /// Why the store of the token's view cannot be used.
        var moveProblem: InstantError?
        /// The rejected edits that were reported, or were there when the layer was opened.
        var rejected: Set<Conflict.ID> = []
        var lastProgress: ContinuousClock.Instant?
        var pace = CheckPace()
        /// nil if the folder of the store cannot be watched.
        var watch: StoreWatch?
        /// Those who wait until the server knows that this program leaves.
        var farewells: [CheckedContinuation<Void, Never>] = []
    }

    /// State for any thread. No I/O under this lock.
    struct Shared {
        var tokens: [TokenHandle: String] = [:]
        /// For requests outside the sync.
        var dataToken: String?
        var requests: [Int: Task<Void, Never>] = [:]
        var streams: [StreamID: Task<Void, Never>] = [:]
        var download: Task<Void, Never>?
        /// The last removal of a PDF, which waits for earlier ones.
        var removal: Task<Void, Never>?

        /// Everything that runs.
        var tasks: [Task<Void, Never>] {
            Array(streams.values) + Array(requests.values) + [download, removal].compactMap(\.self)
        }

        /// The layer's lock, held while this process leads.
        var lock: LeaderLock?
        /// Signals to the leading process that this one is waiting.
        var claim: LeadClaim?
        var isClosed = false
    }

    /// State that other threads read.
    struct Published {
        var connection: SyncStatus.Connection
        /// Another process that leads.
        var syncedBy: SyncingProcess?
        /// The grant that authorizes edits in this process; nil for the stored grant.
        var grant: Grant?
        var documentState: DocumentState
        var isSyncing = false
        /// Whether the application waits for the end of a sync that has not begun.
        var isSyncWanted = false
        var progress: DownloadProgress?
        var problem: String?
        var presence = LayerPresence()
    }

    init(
        _ open: OpenStore, of stores: LayerStores, folders: Folders, transport: HTTPTransport,
        hub: EventHub, onMove: @escaping @Sendable (OpenStore, Luggage) -> Void,
        onLeave: @escaping @Sendable ([Task<Void, Never>]) -> Void,
        holdsBack: @escaping @Sendable (InstantEvent) -> Bool,
        onEvent: @escaping @Sendable (InstantEvent) -> Void
    ) {
        self.stores = stores
        self.open = open
        self.folders = folders
        attachments = AttachmentFiles(layer: stores.main)
        self.transport = transport
        pages = PagePrefetcher(transport: transport)
        environment = stores.environment
        self.hub = hub
        self.onMove = onMove
        self.onLeave = onLeave
        self.holdsBack = holdsBack
        self.onEvent = onEvent
        lockPath = Folders.lock(in: open.folder)
        claimPath = Folders.claim(in: open.folder)
        var random = SystemRandomNumberGenerator()
        let session = ULID.make(at: environment.now(), using: &random)
        let synchronizer = Synchronizer(
            layer: Layer(store: WriterConnectionStore(store: open.store)), isLeading: open.lock != nil,
            session: session, holdsLock: { [proof] in proof.isValid })
        published = Mutex(
            Published(connection: synchronizer.connection, documentState: synchronizer.cycle.state))
        confined = Mutex(
            Confined(
                synchronizer: synchronizer, wantsLock: open.lock != nil, storeVersion: open.store.foreignVersion(),
                rejected: Set((try? open.layer.conflicts())?.map(\.id) ?? [])))
        let lock = open.takeLock()
        proof.show(lock)
        shared.withLock { $0.lock = lock }
        if !holdsLock, let process = lockHolder?.process {
            confined.withLock { $0.syncedBy = process }
            published.withLock { $0.syncedBy = process }
        }
        post(.woke)
        onQueue { [weak self] in self?.beginChecks() }
    }

    /// The layer for reading and editing, with the permissions of this process.
    var layer: Layer { Layer(store: open, ownGrant: snapshot.grant) }

    var snapshot: Published { published.withLock { $0 } }

    /// The token for requests outside the sync, read for each one.
    var dataToken: String? { shared.withLock(\.dataToken) }

    func post(_ input: Synchronizer.Input) {
        onQueue {
            self.handle { state, now in
                if case .announced(let own) = input { state.presence = own }
                return state.synchronizer.handle(input, now: now, random: &state.random)
            }
        }
    }

    /// - Parameters:
    ///   - token: A token that names this layer, as the caller has checked.
    ///   - grant: The permissions that it claims.
    func supply(_ token: String, _ grant: Grant) {
        onQueue {
            var refused: InstantError?
            self.handle { state, now in
                let tokens = self.shared.withLock(\.tokens)
                let session = state.synchronizer.session
                if let known = session.tickets.first(where: { tokens[$0] == token && $0 != session.fallback }) {
                    // The same token twice is one request; an accepted token stays accepted.
                    return session.dataTicket == known ? [.announce(.authenticated(known))] : []
                }
                guard !state.synchronizer.isAuthenticating else {
                    refused = InstantError(.alreadyAuthenticating, "another token is being checked; try again later")
                    return []
                }
                if self.movesAside(with: token, grant, &state) { return [] }
                if let problem = state.moveProblem.take() {
                    refused = problem
                    return []
                }
                let ticket = TokenHandle(state.nextTicket)
                state.nextTicket += 1
                self.shared.withLock { if !$0.isClosed { $0.tokens[ticket] = token } }
                state.restriction = grant
                return state.synchronizer.handle(.tokenSupplied(ticket), now: now, random: &state.random)
            }
            if let refused { self.tell(.didFailReauthentication(refused)) }
        }
    }

    /// Applies this grant to edits until the server has answered, and uses the store of its view if there is one. The
    /// grant's token is never sent.
    func act(by grant: Grant) async {
        await withCheckedContinuation { continuation in
            onQueue {
                self.handle { state, _ in
                    state.restriction = grant
                    self.movesAside(with: grant, &state)
                    return []
                }
                continuation.resume()
            }
        }
    }

    /// Tries everything again that waits, also what was put aside.
    func retryNow() {
        onQueue {
            // As a person's edit, which any process may make: not by the synchronizer, which writes only while it leads.
            guard let changes = try? self.layer.retryAside(), !changes.ids.isEmpty else { return }
            self.post(.storeChanged)
        }
        post(.retryRequested)
    }

    /// Stops showing the local user to the others, and waits until the server knows that, at most for a second.
    func sayFarewell() async {
        await withCheckedContinuation { continuation in
            post(.announced(nil))
            onQueue {
                self.confined.withLock { $0.farewells.append(continuation) }
                self.endFarewells { !$0.synchronizer.isLeaving }
            }
            onQueue(afterMilliseconds: Self.farewellMilliseconds) { self.endFarewells { _ in true } }
        }
    }

    private static let farewellMilliseconds = 1_000

    private func endFarewells(if isOver: (Confined) -> Bool) {
        let ended = confined.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard !state.farewells.isEmpty, isClosed || isOver(state) else { return [] }
            defer { state.farewells = [] }
            return state.farewells
        }
        for farewell in ended { farewell.resume() }
    }

    /// Ends everything: the lock is free when this returns, and the only events still sent are those that report the
    /// end.
    ///
    /// - Returns: The tasks that were running, cancelled.
    @discardableResult
    func close(because error: InstantError) -> [Task<Void, Never>] { end(because: error, keepingLock: false) }

    /// Closes the files, after everything that was posted so far. Must not be called on the queue.
    func closeFiles() {
        queue.sync { open.close() }
    }

    /// Ends everything, and waits: when this returns, nothing runs, everything is written, and no file is open.
    func closeAndWait(because error: InstantError) async {
        for task in end(because: error, keepingLock: true) { await task.value }
        await withCheckedContinuation { continuation in
            onQueue {
                self.open.close()
                continuation.resume()
            }
        }
    }

    /// - Parameter keepingLock: Whether other processes must wait until the step on the queue has ended.
    /// - Returns: The tasks that were running, cancelled.
    private func end(because error: InstantError, keepingLock: Bool) -> [Task<Void, Never>] {
        let hasToEnd = snapshot.isSyncing || snapshot.isSyncWanted
        let (tasks, lock) = shared.withLock { shared in
            let tasks = shared.tasks
            let lock = keepingLock ? shared.lock : nil
            shared = Shared(isClosed: true)
            return (tasks, lock)
        }
        for task in tasks { task.cancel() }
        let fetches = pages.close()
        onQueue {
            withExtendedLifetime(lock) {}
            if hasToEnd { self.tell(.didFailSync(error)) }
            self.tellUploadEnded()
            self.tell(.didClose(error))
            self.hub.finish()
            // Not when the last reference goes: a repair waits for it.
            self.open.close()
        }
        return tasks + fetches
    }

    /// Continues for a predecessor.
    func take(_ luggage: Luggage) {
        onQueue {
            self.handle { state, _ in
                state.hasBegun = luggage.isSyncing
                state.download.isWanted = luggage.wantsPDF
                state.restriction = luggage.grant
                return []
            }
        }
        if let old = open.takePDFOfOtherView() {
            remove(pdf: old)
            onQueue { if !self.isClosed { self.tell(.didChangePDF) } }
        }
        if let presence = luggage.presence { post(.announced(presence)) }
        if luggage.isOffline { post(.wentOffline) }
        if let token = luggage.token { supply(token, luggage.grant) }
        if luggage.wantsSync { post(.syncRequested) }
    }

    /// Ends everything without an event: a successor continues. The files stay open, because other threads may still read
    /// them, until this performer is released or they are closed.
    ///
    /// - Returns: The tasks that were running, cancelled.
    func leave() -> [Task<Void, Never>] {
        let tasks = shared.withLock { shared in
            let tasks = shared.tasks
            shared = Shared(isClosed: true)
            return tasks
        }
        for task in tasks { task.cancel() }
        return tasks + pages.close()
    }

    /// Releases the lock before the program is stopped. Waits until this is done, or at most for a second: a process
    /// that is blocked is replaced by another.
    func standAside() {
        let isDone = DispatchSemaphore(value: 0)
        post(.suspended(true))
        onQueue { isDone.signal() }
        if isDone.wait(timeout: .now() + 1) == .timedOut {
            dropLock()
            claim(false)
        }
    }

    /// Waits until everything posted so far has been handled. Must not be called on the queue.
    func settle() { queue.sync {} }

    /// Waits until everything posted so far has been handled, without blocking a thread.
    func settled() async {
        await withCheckedContinuation { continuation in onQueue { continuation.resume() } }
    }
}

extension LayerPerformer {
    /// Runs a step and performs its effects. Must be called on the queue.
    func handle(_ step: (inout Confined, Timestamp) -> [Synchronizer.Effect]) {
        let events = confined.withLock { state -> [InstantEvent] in
            guard !isClosed else { return [] }
            var events: [InstantEvent] = []
            // A successor tells the rest.
            guard performAll(step(&state, environment.now()), &state, &events) else { return events }
            startDownloadIfWanted(&state)
            var connection = publish(state)
            if events.contains(where: \.isAcceptance) {
                returnToMain(&state, hasFinished: events.contains(.didFinishSync))
                // The cycle ends when the successor has loaded its store.
                if isClosed { return events.filter { $0 != .didFinishSync } }
                // In the same step: the next answer may end the cycle, and with it a command.
                guard performAll(takeLeftovers(&state, environment.now()), &state, &events) else { return events }
                connection += publish(state)
            }
            return isClosed ? [] : events + connection + finishedDownload(&state)
        }
        endFarewells { !$0.synchronizer.isLeaving }
        for event in events { tell(event) }
        if events.contains(.didFinishSync) { onQueue { self.open.store.emptyLog() } }
    }

    /// Performs effects, and those that follow from their answers.
    ///
    /// - Returns: false if a successor continues.
    private func performAll(
        _ effects: [Synchronizer.Effect], _ state: inout Confined, _ events: inout [InstantEvent]
    ) -> Bool {
        var effects = effects
        while !effects.isEmpty {
            var answers: [Synchronizer.Input] = []
            for effect in effects {
                events += perform(effect, &state)
                switch effect {
                case .lead(true):
                    let leads = tryToLead()
                    if !leads { state.syncedBy = lockHolder?.process }
                    answers.append(.leading(leads))
                case .useAlone(let grant):
                    guard let isAlone = useAlone(grant, &state) else { return false }
                    answers.append(.usesAlone(isAlone))
                default: break
                }
            }
            effects = answers.flatMap { state.synchronizer.handle($0, now: environment.now(), random: &state.random) }
        }
        shareStore(&state)
        let needed = Set(state.synchronizer.session.tickets)
        shared.withLock { shared in
            shared.tokens = shared.tokens.filter { needed.contains($0.key) }
            shared.dataToken = state.synchronizer.session.dataTicket.flatMap { shared.tokens[$0] }
        }
        return true
    }

    func tell(_ event: InstantEvent) {
        guard !holdsBack(event) else { return }
        tellAnyway(event)
    }

    func tellAnyway(_ event: InstantEvent) {
        hub.send(event)
        onEvent(event)
    }

    var isClosed: Bool { shared.withLock(\.isClosed) }

    func withShared<T: Sendable>(_ body: (inout Shared) -> T) -> T { shared.withLock { body(&$0) } }

    func onQueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func onQueue(afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(delay), execute: body)
    }

    /// - Returns: The events to send.
    private func publish(_ state: Confined) -> [InstantEvent] {
        let synchronizer = state.synchronizer
        return published.withLock {
            let before = ($0.connection, $0.problem, $0.syncedBy)
            $0.connection = synchronizer.connection
            $0.syncedBy = holdsLock ? nil : state.syncedBy
            $0.grant = synchronizer.ownGrant ?? state.restriction
            $0.documentState = synchronizer.cycle.state
            $0.isSyncing = synchronizer.cycle.isSyncing
            $0.isSyncWanted = synchronizer.isSyncWanted
            $0.progress = state.download.isWanted ? state.download.progress : nil
            $0.problem = synchronizer.problem?.description
            return before == ($0.connection, $0.problem, $0.syncedBy) ? [] : [.didChangeConnection]
        }
    }
}

// Lock files between processes.
extension LayerPerformer {
    /// Tries to take the lock. A waiting process that has claimed the lead goes first.
    ///
    /// - Parameters:
    ///   - silent: The last sign of a leader that is stopped or blocked and is to be replaced.
    ///   - ignoringClaims: Whether the process that claims the lead is stopped.
    /// - Returns: Whether this process holds the layer's lock.
    func tryToLead(insteadOf silent: String? = nil, ignoringClaims: Bool = false) -> Bool {
        let (holds, claims) = shared.withLock { ($0.lock != nil, $0.claim != nil) }
        if holds { return true }
        guard claims || ignoringClaims || leadClaim == nil else { return false }
        let process = environment.process
        let taken = silent.flatMap { LeaderLock(path: lockPath, process: process, insteadOf: $0) }
        guard let lock = taken ?? LeaderLock(path: lockPath, process: process) else { return false }
        return shared.withLock { shared in
            guard !shared.isClosed else { return false }
            shared.lock = lock
            proof.show(lock)
            return true
        }
    }

    func dropLock() { _ = shared.withLock { $0.lock.take() } }

    /// Takes or releases the claim, a shared lock: several processes may wait at the same time.
    func claim(_ claims: Bool) {
        let claim = claims ? LeadClaim(path: claimPath) : nil
        shared.withLock { if !$0.isClosed { $0.claim = claim } }
    }

    var lock: LeaderLock? { shared.withLock { $0.lock } }
    var holdsLock: Bool { lock != nil }

    /// The process that holds the lock; nil if none does.
    var lockHolder: LeaderLock.Holder? { LeaderLock.holder(of: lockPath) }

    /// Names the newest claim of the lead; nil if no process claims it.
    var leadClaim: String? { LeadClaim.newest(at: claimPath) }

    /// Whether no other process has this layer open.
    var isOnlyUser: Bool { !stores.isUsed(besides: open) }
}
