public import Annotations
public import Authorization

/// The sync state of a layer, for a status line. A snapshot, compared with `==`.
public struct SyncStatus: Hashable, Sendable {
    public enum Connection: Hashable, Sendable {
        /// No attempt has been made yet, or sync was stopped deliberately.
        case idle
        case connecting
        /// The token was accepted; remote changes arrive live.
        case live
        /// The server is unreachable; the next attempt is at this time, by the local clock.
        case offline(retryAt: Timestamp)
        /// Idle until a token is supplied.
        case needsToken(TokenNeed)
        /// Another process on this machine syncs this layer, see ``SyncStatus/syncedBy``; its changes appear here too.
        case elsewhere
        /// The layer is gone or no longer readable; the local storage and the edits are kept.
        case lost(String)
    }

    public var connection: Connection
    /// The other process on this machine that syncs this layer, whatever the connection of this one; nil if there is
    /// none.
    public var syncedBy: SyncingProcess?
    /// What the last accepted token allows; nil before the first one.
    public var grant: Grant?
    /// Edits waiting to be sent, including sealed ones.
    public var unsent: Int
    /// Edits that the token does not allow, or that were put aside.
    public var parked: Int
    /// The parked edits that were put aside: something between here and the server refuses them. They are tried again by the
    /// next program that listens, and on request.
    public var aside: Int
    public var conflicts: Int
    public var refused: Int
    /// Whether a cycle is running.
    public var isSyncing: Bool
    /// When the last cycle succeeded, by the local clock.
    public var lastSync: Timestamp?
    /// Server clock minus local clock, in milliseconds.
    public var clockOffset: Int64
    /// Why the server was unreachable or its response invalid, as a sentence; nil once it responds again.
    public var problem: String?
    /// Why edits wait although the server answers, as a sentence; nil once one of them is answered, or without a connection.
    public var unsentBecause: String?

    public init(
        connection: Connection = .idle, syncedBy: SyncingProcess? = nil, grant: Grant? = nil, unsent: Int = 0,
        parked: Int = 0, aside: Int = 0, conflicts: Int = 0, refused: Int = 0, isSyncing: Bool = false,
        lastSync: Timestamp? = nil, clockOffset: Int64 = 0, problem: String? = nil,
        unsentBecause: String? = nil
    ) {
        self.connection = connection
        self.syncedBy = syncedBy
        self.grant = grant
        self.unsent = unsent
        self.parked = parked
        self.aside = aside
        self.conflicts = conflicts
        self.refused = refused
        self.isSyncing = isSyncing
        self.lastSync = lastSync
        self.clockOffset = clockOffset
        self.problem = problem
        self.unsentBecause = unsentBecause
    }
}

/// A process that syncs a layer.
public struct SyncingProcess: Hashable, Sendable, CustomStringConvertible {
    public var processID: Int32
    /// What it does, in one word, such as `watch`.
    public var name: String

    public init(processID: Int32, name: String) { (self.processID, self.name) = (processID, name) }

    /// `pid 4711 (watch)`
    public var description: String { "pid \(processID) (\(name))" }
}

/// The reason why a token is needed.
public enum TokenNeed: Hashable, Sendable, CustomStringConvertible {
    /// No token has been supplied since launch.
    case noneYet
    /// The server reported that the token expired.
    case expired
    case revoked
    /// The server rejected the token for another reason, which it stated.
    case refused(String)
    /// The user requested that the token be forgotten.
    case forgotten

    public var description: String {
        switch self {
        case .noneYet: "syncing needs a token"
        case .expired: "the token has expired"
        case .revoked: "the token was revoked"
        case .refused(let why): "the server rejected the token: \(why)"
        case .forgotten: "the token was forgotten"
        }
    }
}
