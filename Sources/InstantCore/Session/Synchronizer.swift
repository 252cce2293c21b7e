package import Annotations
package import Authorization
package import SyncProtocol

/// The client of one layer as a function: inputs in, effects out, the store called directly.
///
/// It owns the state machines and selects the next request. A performer sends requests, reads streams, holds tokens and
/// timers, and feeds the results back, strictly one after the other. At most one record request is in flight at a time.
///
/// Several processes may open one layer. Each has its own token checked; only the leader, which holds the layer's lock,
/// sends, receives and writes the server's state. See Synchronizer+Leading.swift.
package struct Synchronizer {
    package enum Input: Hashable, Sendable {
        case tokenSupplied(TokenHandle)
        case tokenForgotten
        case answered(Int, SyncAnswer)
        case failed(Int, SyncFailure)
        case heard(StreamID, LiveEvent)
        /// nil: it ended without a reason.
        case streamEnded(StreamID, SyncFailure?)
        /// A local edit is in the outbox.
        case edited
        /// Another process wrote to the store.
        case storeChanged
        case syncRequested
        case syncStopped
        case listening(Bool)
        /// The time of ``Effect/wake(_:)`` has come, or this process starts.
        case woke
        /// A key press or a restored network: stop waiting.
        case retryRequested
        case wentOffline
        case wentOnline
        /// Whether this process holds the layer's lock, rather than another one: the response to ``Effect/lead(_:)``,
        /// and sent again once the lock is free.
        case leading(Bool)
        /// Another process waits for the lock, with an accepted token and pending work.
        case leadClaimed
        /// Milliseconds after the last edit; nil: only on request.
        case pushDelay(Int64?)
        case storageRemoved
        /// Other data contradicts the last session response: request it again.
        case sessionInvalidated
        /// Compare the local records with the server's.
        case checkRequested
        /// The presence to show to others; nil for none.
        case announced(OwnPresence?)
    }

    package enum Effect: Hashable, Sendable {
        case send(SyncRequest)
        /// Its response is no longer needed.
        case cancel(Int)
        case openStream(StreamRequest)
        case closeStream(StreamID)
        /// Send ``Input/woke`` at this time, in place of the previous one; nil: do not.
        case wake(Timestamp?)
        case announce(Notification)
        /// true: try to take the layer's lock now, respond with ``Input/leading(_:)``, and keep trying; false: release
        /// it now.
        case lead(Bool)
        /// Notify the leader that this process waits; false: it no longer does.
        case claim(Bool)
    }

    /// A notification to the application.
    package enum Notification: Hashable, Sendable {
        case changedState(DocumentState)
        case beganSync
        case finishedSync
        case failedSync(SyncFailure)
        case authenticated(TokenHandle)
        case failedAuthentication(TokenNeed)
        /// A supplied token was refused, or could not be tried; then it is tried again.
        case failedReauthentication(TokenHandle, SyncFailure)
        case changed(LayerChanges)
        case lost(String)
        case pdfReplaced
        /// The token expires at this time of the server's clock; sent five minutes and one minute before.
        case tokenExpires(Timestamp)
        /// nil: undecided, because the layer kept changing or the server does not know the request.
        case checked(IntegrityReport?)
        /// A participant joined, moved or left, or the own presence changed.
        case presence(LayerPresence)
    }

    var layer: Layer
    package internal(set) var session = SessionMachine()
    package internal(set) var cycle: LayerMachine

    var effects: [Effect] = []
    var nextNumber = 1
    /// The record request in flight.
    var underWay: SyncRequest?
    /// The session request in flight.
    var sessionRequest: SyncRequest?
    /// The cursor when the session was requested: the response may be older than later changes.
    var seenWhenAsked: Revision?
    /// The last accepted token of this launch and its view epoch.
    var acceptedToken: TokenHandle?
    var epoch: String?
    /// Whether the head was reached in this cycle.
    var isCaughtUp = false
    /// The token of a 403 response to a push; nothing is pushed with it again.
    var forbidden: TokenHandle?
    var batchLimit = Int.max
    /// The cursor is invalid: once the session is known again, a snapshot is loaded.
    var mustStartOver = false
    var resets = ResetLedger()
    /// New clientIDs in this cycle; more than one indicates a loop.
    var freshStarts = 0
    var integrity = IntegrityWatch()
    var presence: PresenceMachine
    /// The presence message in flight.
    var presenceRequest: Int?
    /// Whether a live channel was open after the last input.
    var hasStream = false

    /// The last failure to reach a valid server; nil once it answers.
    package internal(set) var problem: SyncFailure?

    var isLeading: Bool
    /// The last values of ``Effect/lead(_:)`` and ``Effect/claim(_:)``.
    var wantsToLead: Bool
    var claimsLead = false
    /// The session of an accepted token, until it is known whether this process leads.
    var undecided: (answer: SessionAnswer, ticket: TokenHandle)?
    /// While another process leads: the server's head when this process requested its session.
    var goal: Cursor?
    /// While another process leads: when the cycle fails, and when the token is checked again.
    var followUntil: Timestamp?
    var checkAt: Timestamp?
    var isListening = false
    var stream = StreamMachine()
    var pushDelay: Int64? = 1000
    var pushAt: Timestamp?
    var expiry: ExpiryWatch?
    /// The server requested that it gets no requests before this time.
    var notBefore: Timestamp?
    var wake: Timestamp?
    /// The time of the last input.
    var lastNow: Timestamp?

    /// - Parameters:
    ///   - isLeading: false if another process holds the layer's lock.
    ///   - session: A random name under which others see this client; nil: they never do.
    package init(layer: Layer, isLeading: Bool = true, session: String? = nil) {
        self.layer = layer
        presence = PresenceMachine(session: session)
        self.isLeading = isLeading
        wantsToLead = isLeading
        cycle = LayerMachine(try? layer.metadata(), backlog: (try? layer.backlog()) ?? .none)
    }

    /// Handles one input. Total: a store failure ends the cycle, and no input crashes.
    ///
    /// - Parameter random: For back-off and new ids; a seeded generator replays.
    package mutating func handle(
        _ input: Input, now: Timestamp, random: inout some RandomNumberGenerator
    ) -> [Effect] {
        effects = []
        noticeClock(now)
        do {
            try take(input, now: now, random: &random)
            try pump(now: now)
            try updateStream(now: now)
        } catch {
            let failure = (error as? InvalidServerData).map { SyncFailure.invalidServer($0.description) }
            fail(failure ?? .store("\(error)"), now: now, random: &random)
        }
        updateLeading()
        updatePresence(now: now)
        watchExpiry(now: now)
        setWake(wokenAt: input == .woke ? now : nil)
        return effects
    }

    /// The connection state, for a status line.
    package var connection: SyncStatus.Connection {
        switch session.state {
        case .needsToken(let need): return .needsToken(need)
        case .authenticating(_, nil): return .connecting
        case .connecting: return isLeading ? .connecting : .elsewhere
        case .authenticating, .live: return isLeading ? .live : .elsewhere
        case .waiting(_, let until, _): return .offline(retryAt: until)
        case .paused: return .idle
        case .lost(let why): return .lost(why)
        }
    }

    /// Whether a token is being tried and the server has not answered yet.
    package var isAuthenticating: Bool {
        if case .authenticating = session.state { sessionRequest != nil } else { false }
    }

    /// What the last accepted token of this process allows; nil before the first one.
    package var ownGrant: Grant? { layer.ownGrant }
}
