import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport

/// One store of one person for one layer, and the programs that have it open.
final class Device {
    let number: Int
    let user: String?
    let layerName: String
    let disk: MemoryStore
    /// What the next token will allow.
    var rights: Rights
    /// Milliseconds ahead of the true time.
    var clockOffset: Int64 = 0
    /// Something in between gathers what a stream brings.
    var isBehindProxy = false
    var processes: [Process] = []
    var launches = 0
    var ledger = Ledger()
    /// Edits that could be undone, newest last.
    var history: [Done] = []
    var watch = Watch()

    init(number: Int, user: String?, layerName: String, rights: Rights) {
        self.number = number
        self.user = user
        self.layerName = layerName
        self.rights = rights
        let identity = LayerIdentity(server: "s", documentID: Host.document, layer: layerName, userID: user)
        disk = MemoryStore(LayerFacts(identity: identity, clientID: "device-\(number)"))
    }

    var name: String { "\(user ?? "anonymous")#\(number)" }

    /// The process that syncs.
    var leader: Process { processes[0] }

    /// What the disk was not asked to keep is gone.
    func losePower() {
        disk.losePower()
        watch.lostPower()
    }

    /// Starts a program; it leads when nobody else does.
    func launch(_ dice: inout SeededRandom) -> Process {
        launches += 1
        let process = Process(
            ProcessID(device: number, launch: launches), disk: disk, leads: processes.isEmpty, seed: dice.next())
        processes.append(process)
        return process
    }

    func process(_ id: ProcessID) -> Process? { processes.first { $0.id == id } }
}
