import Logging
import Postgres
import ServiceLifecycle
import SyncProtocol
import Synchronization

/// Makes the servers on one database act as one. Each notifies the others of changes, reads the others' changes once
/// for all its listeners, and also polls, because messages can be lost. A server that has had no answer from the
/// database for too long ends its streams, so that clients do not mistake silence for the absence of changes.
struct ClusterSync: Service {
    struct Intervals: Hashable, Sendable {
        /// The time between two reads of every layer.
        var look: Duration = .seconds(2)
        /// The time without an answer from the database after which a server ends its streams.
        var deaf: Duration = .seconds(5)
    }

    let engine: Engine
    let store: PostgresStore
    let mark: RestoreStampRow
    let notices: CoalescingQueue<ClusterMessage>
    let pace: Intervals
    let logger: Logger
    private let hearing = DatabaseHeartbeat()

    func run() async throws {
        let listener = PostgresListener(store.address) { [self] in receive($0) }
        defer { listener.stop() }
        try? await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await tell() }
                group.addTask { try await announcePresence() }
                group.addTask { await look() }
                group.addTask { try await runTimer() }
                try await group.waitForAll()
            }
        }
    }

    /// Handles other servers' messages, on the listener's thread.
    private func receive(_ event: PostgresListener.Event) {
        switch event {
        // Messages sent before the connection was established were missed.
        case .connected:
            engine.lookups.add(.everything)
            notices.add(.participantsRequested)
        case .lost(let error): logger.warning("not listening to other servers", metadata: ["error": "\(error)"])
        case .notice(let text):
            switch ClusterMessage(text) {
            case .changed(let layer, let head)?:
                if engine.layer(layer, ifBehind: head) != nil { engine.lookups.add(.layer(layer)) }
            case .ended(let layer)?: engine.lookups.add(.layer(layer))
            case .revoked?: engine.lookups.add(.tokens)
            case .people(let notice)?: engine.receive(notice)
            case .participantsRequested?: engine.announceOwnParticipants()
            case nil: break
            }
        }
    }

    private func tell() async {
        for await _ in notices.signals {
            let texts = notices.take().map(\.text)
            // Lost if the connection fails; the other servers poll.
            try? await engine.apart { try store.notify(texts) }
        }
    }

    /// Sends at most ten times a second: NOTIFY takes a lock on the whole database server.
    private func announcePresence() async throws {
        guard let people = engine.peopleForPeers else { return }
        for await _ in people.signals {
            try await Task.sleep(for: Self.gatheringTime)
            for notice in engine.notices(of: people.take()) { notices.add(.people(notice)) }
        }
    }

    private static let gatheringTime: Duration = .milliseconds(100)

    private func look() async {
        for await _ in engine.lookups.signals {
            let wanted = engine.lookups.take()
            hearing.begin()
            do {
                try await look(for: wanted)
                hearing.answered()
            } catch {
                logger.debug("the database does not respond", metadata: ["error": "\(error)"])
                if hearing.failed(after: pace.deaf) { endStreams() }
            }
        }
    }

    private func look(for wanted: Set<Lookup>) async throws {
        let everything = wanted.contains(.everything)
        if everything { try await checkMark() }
        try await engine.look(at: engine.heard.filter { everything || wanted.contains(.layer($0.id)) })
        for layer in engine.heard where everything || wanted.contains(.people(layer: layer.id)) {
            try await engine.loadPresenceRecords(at: layer)
        }
        if everything || wanted.contains(.tokens) { try await engine.closeRevokedStreams() }
    }

    private func endStreams() {
        engine.endAll(with: SessionEvent(.closing, reason: "the server cannot reach its database"))
    }

    /// A database may be restored while the servers run.
    private func checkMark() async throws {
        if try await engine.apart({ try mark.look() }) { logger.warning("\(Server.restored)") }
    }

    private func runTimer() async throws {
        while true {
            try await Task.sleep(for: pace.look)
            // The query has neither succeeded nor failed: the network may have dropped it.
            if hearing.hasWaited(longerThan: pace.deaf) { endStreams() }
            engine.lookups.add(.everything)
        }
    }
}

/// When the database last answered, and since when a query has been pending.
private final class DatabaseHeartbeat: Sendable {
    private struct State {
        var answered = ContinuousClock.now
        var asked: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.asked = .now } }

    func answered() { state.withLock { $0 = State(answered: .now, asked: nil) } }

    /// - Returns: whether the last answer is older than `limit`.
    func failed(after limit: Duration) -> Bool {
        state.withLock { state in
            state.asked = nil
            return state.answered.duration(to: .now) > limit
        }
    }

    func hasWaited(longerThan limit: Duration) -> Bool {
        state.withLock { $0.asked.map { $0.duration(to: .now) > limit } ?? false }
    }
}

/// A set of pending elements for one reader; adding an element twice queues it once.
final class CoalescingQueue<Element: Hashable & Sendable>: Sendable {
    private let elements = Mutex<Set<Element>>([])
    private let wake: AsyncStream<Void>.Continuation
    /// Signals that elements are pending. For one reader.
    let signals: AsyncStream<Void>

    init() { (signals, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ element: Element) {
        elements.withLock { _ = $0.insert(element) }
        wake.yield()
    }

    /// Returns and removes all elements.
    func take() -> Set<Element> {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
