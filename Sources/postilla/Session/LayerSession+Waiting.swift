import Instant
import InstantCore

extension LayerSession {
    /// Reads the layer's events until an event or a tick completes the wait.
    ///
    /// Asks the token's source again when the server requires another token. A server that refuses connections from the
    /// start is reported at once; one that falls silent fails after ``patience``.
    ///
    /// - Parameters:
    ///   - sends: Whether to wait while edits are not sent, until what holds them up is found and put aside.
    ///   - isDone: Called with each event, and with nil at the beginning and four times a second.
    ///   - start: Starts the awaited operation; events are already being received.
    func follow(
        sends: Bool = false, until isDone: (InstantEvent?) throws -> Bool, start: (InstantDocumentDescriptor) -> Void
    ) async throws {
        let signals = Signals(descriptor.events)
        defer { signals.stop() }
        start(descriptor)
        var watch = Watch(patience: patience, waitsUntil: sends ? .now + Self.searchTime : nil)
        if try isDone(nil) { return }
        var line = TransferLine()
        defer { line.clear() }
        for await event in signals.stream {
            if case .didMakeUploadProgress(let progress)? = event { line.show(progress) }
            if try isDone(event) { return }
            guard let event else {
                try watch.checkPatience(syncedBy: descriptor.status.syncedBy, lastMove: descriptor.lastMove)
                continue
            }
            switch watch.heard(event) {
            case .goOn: break
            case .fail(let failure): throw failure
            case .askForToken(let need):
                line.clear()
                guard let token = try await tokens?.next() else { throw CommandFailure("\(need)", .authentication) }
                descriptor.reauthenticate(withJWT: token)
            }
        }
        throw CancellationError()
    }
}

extension LayerSession {
    static func putAside(_ count: Int) -> String {
        "\(Wording.count(count, "edit")) put aside: something between here and the server refuses \(count == 1 ? "it" : "them"); "
            + "see postilla outbox"
    }

    /// A search makes three tries at some distance, and then smaller ones.
    private static let searchTime = Duration.seconds(45)
}

/// Events and, between them, nil at a steady pace.
private struct Signals {
    let stream: AsyncStream<InstantEvent?>
    private let tasks: [Task<Void, Never>]

    init(_ events: AsyncStream<InstantEvent>) {
        let (stream, feed) = AsyncStream<InstantEvent?>.makeStream()
        self.stream = stream
        tasks = [
            Task {
                for await event in events { feed.yield(event) }
                feed.finish()
            },
            Task { while (try? await Task.sleep(for: .milliseconds(250))) != nil { feed.yield(nil) } },
        ]
    }

    func stop() { for task in tasks { task.cancel() } }
}

/// The meaning of events for a waiting command.
private struct Watch {
    enum Result {
        case goOn
        case askForToken(TokenNeed)
        case fail(CommandFailure)
    }

    let patience: Duration
    /// Until when edits that are not sent are no failure; nil: they are one at once.
    let waitsUntil: ContinuousClock.Instant?
    private var lastSign = ContinuousClock.now
    /// Whether the server has answered this command before.
    private var wasReached = false
    /// Whether a sync has begun during this wait.
    private var hasBegun = false
    private var problem: String?
    /// Why edits were not sent so far.
    private var unsent: CommandFailure?

    init(patience: Duration, waitsUntil: ContinuousClock.Instant?) {
        (self.patience, self.waitsUntil) = (patience, waitsUntil)
    }

    mutating func heard(_ event: InstantEvent) -> Result {
        switch event {
        case .didFailAuthentication(.noneYet): return .goOn
        case .didFailAuthentication(let need): return .askForToken(need)
        case .didFailSync(let error) where error.kind == .requestFailed && !hasBegun:
            // The session is asked for again.
            problem = error.message
            return .goOn
        case .didFailReauthentication(let error), .didFailSync(let error): return failed(error)
        case .didLoseAccess(let why): return .fail(CommandFailure(why))
        case .didBeginSync:
            hasBegun = true
            return .goOn
        case .didChangeConnection, .didChangeSyncState: return .goOn
        default:
            lastSign = .now
            wasReached = true
            problem = nil
            return .goOn
        }
    }

    private mutating func failed(_ error: InstantError) -> Result {
        switch error.kind {
        // A later event shows whether another token is needed.
        case .authenticationFailed: return .goOn
        case .editsNotSent where waitsUntil.map { $0 > .now } ?? false:
            unsent = CommandFailure(error)
            return .goOn
        case .requestFailed where wasReached:
            problem = error.message
            return .goOn
        default: return .fail(CommandFailure(error))
        }
    }

    func checkPatience(syncedBy process: SyncingProcess?, lastMove: ContinuousClock.Instant?) throws {
        // Between two tries nothing is heard.
        if let unsent, let waitsUntil {
            if waitsUntil < .now { throw unsent }
            return
        }
        // A slow link takes the time that it needs.
        guard .now - max(lastSign, lastMove ?? lastSign) > patience else { return }
        if wasReached, let process {
            throw CommandFailure(
                "the local copy is not current: \(process) syncs this layer, but did not bring it up to date within \(patience.components.seconds) s; "
                    + "end that process", .stale)
        }
        throw CommandFailure(
            problem ?? "the server did not answer within \(patience.components.seconds) s", .unreachable)
    }
}
