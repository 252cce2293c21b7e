package import Annotations
package import Authorization
package import SyncProtocol

/// The client of one layer as a function: it takes inputs, returns effects and calls the store directly.
///
/// It owns the state machines and selects the next request. A performer sends requests, reads streams, holds tokens and
/// timers, and feeds the results back, strictly one at a time. At most one record request and one upload are
/// in flight at a time.
///
/// Several processes may open one layer. Each authenticates with its own token; only the leader, which holds the
/// layer's lock, sends, receives and writes the server's state. See Synchronizer+Leading.swift.
package struct Synchronizer {
    package enum Input: Hashable, Sendable {
        case tokenSupplied(TokenHandle)
        case tokenForgotten
        case answered(Int, SyncAnswer)
        case failed(Int, SyncFailure)
        case heard(StreamID, LiveEvent)
        /// nil if the stream ended without a reason.
        case streamEnded(StreamID, SyncFailure?)
        /// A local edit is in the outbox.
        case edited
        /// Another process wrote to the store.
        case storeChanged
        case syncRequested
        case syncStopped
        case listening(Bool)
        /// The time of ``Effect/wake(_:)`` was reached, or this process started.
        case woke
        /// Bytes of a request were sent or received: it is slow, not dead. Sent at most with each check of the lock.
        case moved
        /// A key press or a restored network: stop waiting.
        case retryRequested
        case wentOffline
        case wentOnline
        /// Whether this process holds the layer's lock, rather than another one: the response to ``Effect/lead(_:)``,
        /// and sent again once the lock is free.
        case leading(Bool)
        /// Another process is waiting for the lock, with an accepted token and pending work. Sent at each check of the
        /// lock; the text names the newest claim.
        case leadClaimed(String)
        /// Another process took the lock, because this one was stopped or blocked.
        case deposed
        /// The response to ``Effect/useAlone(_:)``: whether no other process uses the store until this input is handled.
        case usesAlone(Bool)
        /// true: the program is about to be stopped, as by Ctrl-Z; false: it continues.
        case suspended(Bool)
        /// The delay of a push after the last edit, in milliseconds; nil to push only on request. While edits follow each
        /// other, the push comes after five times as long.
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
        /// Send ``Input/woke`` at this time, replacing any earlier time; nil cancels it.
        case wake(Timestamp?)
        case announce(Notification)
        /// true: try to take the layer's lock now, respond with ``Input/leading(_:)``, and keep trying; false: release
        /// it now.
        case lead(Bool)
        /// true: notify the leader that this process is waiting; false: notify it that the wait is over.
        case claim(Bool)
        /// The accepted token has this grant, and another view than the store. Respond with ``Input/usesAlone(_:)``; if
        /// another process uses the store, this one must use another store.
        case useAlone(Grant)
    }

    /// A notification to the application.
    package enum Notification: Hashable, Sendable {
        case changedState(DocumentState)
        case beganSync
        case finishedSync
        case failedSync(SyncFailure)
        case authenticated(TokenHandle)
        case failedAuthentication(TokenNeed)
        /// A supplied token was rejected, or could not be tried and will be retried.
        case failedReauthentication(TokenHandle, SyncFailure)
        case changed(LayerChanges)
        case lost(String)
        case pdfReplaced
        /// The token gets a different file of the same document; the file with this SHA-256 is not for this token.
        case pdfChanged(from: String)
        /// The token expires at this time, by the server's clock; sent five minutes and one minute before.
        case tokenExpires(Timestamp)
        /// nil if inconclusive, because the layer kept changing or the server does not support the request.
        case checked(IntegrityReport?)
        /// A participant joined, moved or left, or this client's own presence changed.
        case presence(LayerPresence)
    }

    var layer: Layer
    let fence: FencedStore
    package internal(set) var session = SessionMachine()
    package internal(set) var cycle: LayerMachine

    var effects: [Effect] = []
    var nextNumber = 1
    /// The record request in flight.
    var underWay: SyncRequest?
    var underWaySince: Timestamp?
    /// Events that follow a push whose answer has not arrived.
    var held: [(stream: StreamID, change: ChangeEvent)] = []
    /// The upload in flight. It takes as long as its file is large, so pushes are sent beside it.
    var uploadUnderWay: SyncRequest?
    var uploadSince: Timestamp?
    /// Whether other processes were told that a file is being sent.
    var hasToldOfUpload = false
    /// The session request in flight.
    var sessionRequest: SyncRequest?
    /// The cursor when the session was requested, because the response may be older than later changes.
    var seenWhenAsked: Revision?
    /// The last accepted token of this launch and its view epoch.
    var acceptedToken: TokenHandle?
    var epoch: String?
    /// Whether the head was reached in this cycle.
    var isCaughtUp = false
    /// The token with which a push or an upload got a 403; it is not used for pushes again.
    var forbidden: TokenHandle?
    var batchLimit = Int.max
    var pushSize = PushSize()
    /// Whether the cursor is invalid. A snapshot is loaded once the session is known again.
    var mustStartOver = false
    var resets = ResetLedger()
    /// The number of new clientIDs in this cycle; more than one indicates a loop.
    var freshStarts = 0
    var integrity = IntegrityWatch()
    var presence: PresenceMachine
    /// The presence message in flight.
    var presenceRequest: Int?
    /// Whether a live channel was open after the last input.
    var hasStream = false

    /// Why edits wait; nil once one of them is answered.
    var pause: SendingPause?
    var search = SendingSearch()
    var uploads = UploadSearch()
    /// Whether what was put aside is tried again in this process.
    var hasRetriedAside = false
    /// The last failure to reach a valid server; nil once it responds.
    package internal(set) var problem: SyncFailure?

    var isLeading: Bool
    /// The last values of ``Effect/lead(_:)`` and ``Effect/claim(_:)``.
    var wantsToLead: Bool
    var claimsLead = false
    var claimWatch = ClaimWatch()
    var isSuspended = false
    /// While a request is in flight: when it was sent, when the last response arrived, or when something last moved.
    var busySince: Timestamp?
    /// Whether anything has moved since the last response.
    var hasMoved = false
    /// How long a response may take, in milliseconds, before another process may try instead.
    var patience = Self.firstPatience
    /// The session of an accepted token, until it is known whether this process leads.
    var undecided: (answer: SessionAnswer, ticket: TokenHandle)?
    /// The session of an accepted token with another view than the store, until it is known whether the store is used
    /// by this process alone.
    var misplaced: (answer: SessionAnswer, ticket: TokenHandle)?
    /// While another process leads: the server's head when this process requested its session.
    var goal: Cursor?
    /// The epoch of the store for which the goal was requested again.
    var goalRefutedBy: String?
    /// While another process leads: when the cycle fails, and when the token is checked again.
    var followUntil: Timestamp?
    var checkAt: Timestamp?
    /// Whether the application asked for a sync that waits for the session.
    package internal(set) var isSyncWanted = false
    var isListening = false
    var stream = StreamMachine()
    var pushDelay: Int64? = 1000
    var pushAt: Timestamp?
    /// When the first edit was made that was not sent since.
    var unsentSince: Timestamp?
    static let mostPushDelays: Int64 = 5
    /// When to ask for a token, because the application listens without one.
    var askAt: Timestamp?
    var expiry: ExpiryWatch?
    /// The server asked for no requests before this time.
    var notBefore: Timestamp?
    var wake: Timestamp?
    /// The time of the last input.
    var lastNow: Timestamp?

    /// - Parameters:
    ///   - isLeading: false if another process holds the layer's lock.
    ///   - session: A random name under which others see this client; nil to stay invisible.
    ///   - holdsLock: Whether this process still holds the layer's lock. Called in transactions, on any thread.
    package init(
        layer: Layer, isLeading: Bool = true, session: String? = nil,
        holdsLock: @escaping @Sendable () -> Bool = { true }
    ) {
        self.layer = layer
        fence = FencedStore(layer.store, holdsLock: holdsLock)
        self.layer.store = fence
        fence.lead(isLeading)
        presence = PresenceMachine(session: session)
        self.isLeading = isLeading
        wantsToLead = isLeading
        cycle = LayerMachine(try? layer.metadata(), backlog: (try? layer.backlog()) ?? .kept)
    }

    /// Handles one input. Total: a store failure ends the cycle, and no input causes a crash.
    ///
    /// - Parameter random: For back-off and new ids; a seeded generator makes runs reproducible.
    package mutating func handle(
        _ input: Input, now: Timestamp, random: inout some RandomNumberGenerator
    ) -> [Effect] {
        effects = []
        noticeClock(now)
        let isRetryDue = endPause(at: now)
        do {
            try take(input, now: now, random: &random)
            try takeHeld()
            // Whatever comes first: another input than the timer's leaves no timer for the retry.
            if isRetryDue, pushDelay != nil { try sendAfterPause() }
            try pump(now: now)
            try updateStream(now: now)
        } catch is Deposed {
            deposed()
        } catch {
            let failure = (error as? InvalidServerData).map { SyncFailure.invalidServer($0.description) }
            fail(failure ?? .store("\(error)"), now: now, random: &random)
        }
        updateLeading()
        noteProgress(input, now: now)
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
