import Annotations
import InstantCore
import SyncProtocol
import TestSupport

/// Distinguishes the launches of a program: messages to a dead launch are lost.
struct ProcessID: Hashable {
    var device: Int
    var launch: Int
}

/// One running client: when it dies, its state is lost and only the store remains.
final class Process {
    let id: ProcessID
    let store: FragileLocalStore
    var synchronizer: Synchronizer
    var dice: SeededRandom
    /// Whether it holds the store's lock.
    var leads: Bool
    var wantsToLead: Bool
    private(set) var claims = false
    /// How often this process has claimed the lead.
    private(set) var claimCount = 0
    /// Whether it is stopped: what arrives waits.
    var isStopped = false
    var waiting: [Synchronizer.Input] = []
    /// Whether another process took the lock meanwhile.
    var isDeposed = false
    /// The true time at which its timer fires: a timer ignores changes to the clock.
    var alarm: Timestamp?
    /// Whether its timer was due, and has not fired.
    var isLate = false
    var tokens: [TokenHandle: IssuedToken] = [:]
    /// Syncs that began and have not ended.
    var begun = 0
    /// Whether a sync was requested that has not ended.
    var isSyncAsked = false
    var isOffline = false
    /// Whether another process has written to the store since the last check.
    var hasForeignChanges = false
    /// The number of actions until it dies.
    var actionsLeft: Int?

    init(_ id: ProcessID, disk: MemoryStore, leads: Bool, seed: UInt64) {
        self.id = id
        self.leads = leads
        wantsToLead = leads
        store = FragileLocalStore(disk)
        synchronizer = Synchronizer(layer: Layer(store: store), isLeading: leads)
        dice = SeededRandom(seed: seed)
    }

    func claim(_ claims: Bool) {
        self.claims = claims
        if claims { claimCount += 1 }
    }

    /// The layer as seen with this process's token.
    var layer: Layer { Layer(store: store, ownGrant: synchronizer.ownGrant) }

    func hear(_ notice: Synchronizer.Notification) throws {
        switch notice {
        case .beganSync:
            begun += 1
            try require(begun == 1, "a sync began inside another one")
        case .finishedSync, .failedSync:
            let wasAsked = isSyncAsked
            isSyncAsked = false
            // A requested sync that cannot begin fails without a start notification.
            if case .failedSync = notice, begun == 0 {
                return try require(wasAsked, "a sync failed that was not asked for")
            }
            begun -= 1
            try require(begun == 0, "a sync ended that never began")
        case .checked(let report):
            try require(report?.isSound ?? true, "the rows differ from the server's at the same revision")
        default: break
        }
    }
}
