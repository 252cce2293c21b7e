import Annotations
import InstantCore
import SyncProtocol
import TestSupport

/// Tells the launches of a program apart: what is on its way to a dead one is lost.
struct ProcessID: Hashable {
    var device: Int
    var launch: Int
}

/// One running client: everything here is gone when it dies, only the store stays.
final class Process {
    let id: ProcessID
    let store: FragileLocalStore
    var synchronizer: Synchronizer
    var dice: SeededRandom
    /// It holds the lock of the store.
    var leads: Bool
    var wantsToLead: Bool
    var claims = false
    /// When its timer goes off, by the true time: a timer does not know that somebody moved the clock.
    var alarm: Timestamp?
    var tokens: [TokenHandle: IssuedToken] = [:]
    /// Syncs that began and have not ended.
    var begun = 0
    var isOffline = false
    /// Somebody else wrote to the store since it last looked.
    var hasForeignChanges = false
    /// Dies after it has done so many things more.
    var actionsLeft: Int?

    init(_ id: ProcessID, disk: MemoryStore, leads: Bool, seed: UInt64) {
        self.id = id
        self.leads = leads
        wantsToLead = leads
        store = FragileLocalStore(disk)
        synchronizer = Synchronizer(layer: Layer(store: store), isLeading: leads)
        dice = SeededRandom(seed: seed)
    }

    /// As a person sees it here: by the token of this process.
    var layer: Layer { Layer(store: store, ownGrant: synchronizer.ownGrant) }

    func hear(_ notice: Synchronizer.Notification) throws {
        switch notice {
        case .beganSync:
            begun += 1
            try require(begun == 1, "a sync began inside another one")
        case .finishedSync, .failedSync:
            // A sync that was asked for and cannot begin fails without a beginning.
            if case .failedSync = notice, begun == 0 { return }
            begun -= 1
            try require(begun == 0, "a sync ended that never began")
        case .checked(let report):
            try require(report?.isSound ?? true, "what is here is not what the server holds, at the same revision")
        default: break
        }
    }
}
