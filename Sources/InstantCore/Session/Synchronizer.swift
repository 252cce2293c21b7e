package import Annotations
package import Authorization
package import SyncProtocol

/// The whole client of one layer as a function of what happens: inputs in, effects out, the store called directly.
///
/// It owns the two machines and decides which request comes next; a performer sends requests, reads streams, keeps
/// tokens and time, and feeds back what comes of it, strictly one after the other. At most one request for records is
/// under way at a time.
///
/// Several processes may open one layer. Each has its own token checked; only the one that leads, which is the one that
/// holds the layer's lock, sends, receives and writes what the server says. See Synchronizer+Leading.swift.
package struct Synchronizer {
    package enum Input: Hashable, Sendable {
        case tokenSupplied(TokenHandle)
        case tokenForgotten
        case answered(Int, SyncAnswer)
        case failed(Int, SyncFailure)
        case heard(StreamID, LiveEvent)
        /// nil: it ended without saying why.
        case streamEnded(StreamID, SyncFailure?)
        /// A local edit is in the outbox.
        case edited
        /// Another process wrote to the store.
        case storeChanged
        case syncRequested
        case syncStopped
        case listening(Bool)
        /// The moment of ``Effect/wake(_:)`` has come, or this process begins.
        case woke
        /// A key, the network coming back: do not wait any longer.
        case retryRequested
        case wentOffline
        case wentOnline
        /// This process holds the layer's lock now, or another process holds it: the answer to ``Effect/lead(_:)``,
        /// and later, once the lock is free.
        case leading(Bool)
        /// Another process waits for the lock, with an accepted token and something to do.
        case leadClaimed
        /// Milliseconds after the last edit; nil: only when asked.
        case pushDelay(Int64?)
        case storageRemoved
        /// What was read says that the layer is not as the last session answer told: ask again.
        case sessionInvalidated
        /// Compare what is here with what the server holds.
        case checkRequested
        /// What others are to be told of oneself; nil: nothing any more.
        case announced(OwnPresence?)
    }

    package enum Effect: Hashable, Sendable {
        case send(SyncRequest)
        /// Its answer is not waited for any more.
        case cancel(Int)
        case openStream(StreamRequest)
        case closeStream(StreamID)
        /// Give ``Input/woke`` at this moment; takes the place of the one before. nil: not at all.
        case wake(Timestamp?)
        case announce(Notification)
        /// true: try to take the layer's lock now, answer by ``Input/leading(_:)``, and go on trying; false: give it
        /// up now.
        case lead(Bool)
        /// Tell the process that leads that this one waits; false: not any more.
        case claim(Bool)
    }

    /// What the world is told.
    package enum Notification: Hashable, Sendable {
        case changedState(DocumentState)
        case beganSync
        case finishedSync
        case failedSync(SyncFailure)
        case authenticated(TokenHandle)
        case failedAuthentication(TokenNeed)
        /// A token that was supplied was refused, or could not be tried; then it will be tried again.
        case failedReauthentication(TokenHandle, SyncFailure)
        case changed(LayerChanges)
        case lost(String)
        case pdfReplaced
        /// The token ends then, by the server's clock: five minutes and one minute ahead.
        case tokenExpires(Timestamp)
        /// nil: nobody can say, because the layer moved on each time, or the server does not know the question.
        case checked(IntegrityReport?)
        /// Somebody came, moved or left, or what is told of oneself is another.
        case presence(LayerPresence)
    }

    var layer: Layer
    package internal(set) var session = SessionMachine()
    package internal(set) var cycle: LayerMachine

    var effects: [Effect] = []
    var nextNumber = 1
    /// The request for records that is under way.
    var underWay: SyncRequest?
    /// The session request that counts.
    var sessionRequest: SyncRequest?
    /// Where the cursor stood when the session was asked for: the answer may be older than what came since.
    var seenWhenAsked: Revision?
    /// The last accepted token and its view epoch, this launch.
    var acceptedToken: TokenHandle?
    var epoch: String?
    /// The head was reached in this cycle.
    var isCaughtUp = false
    /// A 403 for everything: nothing is pushed with this token again.
    var forbidden: TokenHandle?
    var batchLimit = Int.max
    /// The cursor is no good any more: a snapshot is loaded once the session was asked where the layer stands.
    var mustStartOver = false
    var resets = ResetLedger()
    /// New names taken in this cycle; more than one is a server that goes round in circles.
    var freshStarts = 0
    var integrity = IntegrityWatch()
    var presence: PresenceMachine
    /// The sign of life that is under way.
    var presenceRequest: Int?
    /// There was a live channel after the last input.
    var hasStream = false

    /// The last failure to reach a server that makes sense; nil once it answers.
    package internal(set) var problem: SyncFailure?

    var isLeading: Bool
    /// What was last said by ``Effect/lead(_:)`` and ``Effect/claim(_:)``.
    var wantsToLead: Bool
    var claimsLead = false
    /// An accepted token's session, until it is known whether this process leads.
    var undecided: (answer: SessionAnswer, ticket: TokenHandle)?
    /// While another process leads: what the server held when this process asked.
    var goal: Cursor?
    /// While another process leads: the cycle fails then, and the token is checked again.
    var followUntil: Timestamp?
    var checkAt: Timestamp?
    var isListening = false
    var stream = StreamMachine()
    var pushDelay: Int64? = 1000
    var pushAt: Timestamp?
    var expiry: ExpiryWatch?
    /// The server asked to be left alone until then.
    var notBefore: Timestamp?
    var wake: Timestamp?
    /// What the clock said at the last input.
    var lastNow: Timestamp?

    /// - Parameters:
    ///   - isLeading: false when another process holds the layer's lock.
    ///   - session: a random name under which others are told of this client; nil: they never are.
    package init(layer: Layer, isLeading: Bool = true, session: String? = nil) {
        self.layer = layer
        presence = PresenceMachine(session: session)
        self.isLeading = isLeading
        wantsToLead = isLeading
        cycle = LayerMachine(try? layer.metadata(), backlog: (try? layer.backlog()) ?? .none)
    }

    /// Takes one input. Total: a store that fails ends the cycle, no input crashes.
    ///
    /// - Parameter random: for back-off and new names; a seeded one replays.
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

    /// Where the connection stands, for a status line.
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

    /// A token is being tried, and the server has not answered yet.
    package var isAuthenticating: Bool {
        if case .authenticating = session.state { sessionRequest != nil } else { false }
    }

    /// What the last accepted token of this process allows; nil before the first one.
    package var ownGrant: Grant? { layer.ownGrant }
}
