public import Annotations
public import Authorization

/// Where a layer stands, for a status line. A value: a snapshot, compared with `==`.
public struct SyncStatus: Hashable, Sendable {
    public enum Connection: Hashable, Sendable {
        /// Nothing tried yet, or stopped on purpose.
        case idle
        case connecting
        /// The token was accepted; changes of others arrive by themselves.
        case live
        /// The server cannot be reached; the next try is at this moment of the local clock.
        case offline(retryAt: Timestamp)
        /// Rests until a token is supplied.
        case needsToken(TokenNeed)
        /// Another process on this machine holds the lock and syncs this layer; its changes are seen here too.
        case elsewhere
        /// The layer is gone or no longer readable: storage and edits stay.
        case lost(String)
    }

    public var connection: Connection
    /// What the last accepted token allows; nil before the first one.
    public var grant: Grant?
    /// Edits that wait to be sent, sealed ones included.
    public var unsent: Int
    public var parked: Int
    public var conflicts: Int
    public var refused: Int
    /// A cycle is under way.
    public var isSyncing: Bool
    /// When the last cycle ended well, by the local clock.
    public var lastSync: Timestamp?
    /// Server clock minus local clock, in milliseconds.
    public var clockOffset: Int64
    /// Why the server could not be reached or made no sense, in a sentence; nil once it answers again.
    public var problem: String?

    public init(
        connection: Connection = .idle, grant: Grant? = nil, unsent: Int = 0, parked: Int = 0, conflicts: Int = 0,
        refused: Int = 0, isSyncing: Bool = false, lastSync: Timestamp? = nil, clockOffset: Int64 = 0,
        problem: String? = nil
    ) {
        self.connection = connection
        self.grant = grant
        self.unsent = unsent
        self.parked = parked
        self.conflicts = conflicts
        self.refused = refused
        self.isSyncing = isSyncing
        self.lastSync = lastSync
        self.clockOffset = clockOffset
        self.problem = problem
    }
}

/// Why a token is asked for.
public enum TokenNeed: Hashable, Sendable, CustomStringConvertible {
    /// None was supplied since launch.
    case noneYet
    /// The server said that its time is over.
    case expired
    case revoked
    /// Turned down for another reason, in the server's words.
    case refused(String)
    /// The bearer asked to forget it.
    case forgotten

    public var description: String {
        switch self {
        case .noneYet: "a token is needed to sync"
        case .expired: "the token expired"
        case .revoked: "the token was revoked"
        case .refused(let why): "the server refused the token: \(why)"
        case .forgotten: "the token was forgotten"
        }
    }
}
