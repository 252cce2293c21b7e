import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport

/// One person's store for one layer, and the programs that have it open.
final class Device {
    let number: Int
    let user: String?
    let layerName: String
    /// See ``Profile/startsThreads``.
    let startsThreads: Bool
    let disk: MemoryStore
    /// The rights of the next token.
    var rights: Rights
    /// Milliseconds ahead of the true time.
    var clockOffset: Int64 = 0
    /// Whether a proxy buffers the stream.
    var isBehindProxy = false
    var processes: [Process] = []
    var launches = 0
    var ledger = Ledger()
    /// The device whose layer this is a side store of, for another view; nil for a main store.
    let main: Int?
    /// The view of a side store.
    let view: ViewScope?
    /// Edits that could be undone, newest last.
    var history: [Done] = []
    var watch = Watch()

    init(
        number: Int, user: String?, layerName: String, rights: Rights, startsThreads: Bool, main: Int? = nil,
        view: ViewScope? = nil
    ) {
        self.number = number
        (self.main, self.view) = (main, view)
        self.user = user
        self.layerName = layerName
        self.startsThreads = startsThreads
        self.rights = rights
        let identity = LayerIdentity(server: "s", documentID: Host.document, layer: layerName, userID: user)
        disk = MemoryStore(LayerMetadata(identity: identity, clientID: "device-\(number)"))
    }

    var name: String { "\(user ?? "anonymous")#\(number)" }

    /// The process that syncs; any process when none does.
    var leader: Process { processes.first { $0.leads && !$0.isDeposed } ?? processes[0] }

    var isInUse: Bool { !processes.isEmpty }

    /// Whether a process may take the lock: it is free, and no other process waits for it.
    func mayLead(_ process: Process) -> Bool {
        process.leads
            || !processes.contains {
                $0.leads && !$0.isDeposed || ($0.claims && !$0.isStopped && $0 !== process && !process.claims)
            }
    }

    /// Names the claims of the lead; nil if no process waits for it.
    var newestClaim: String? {
        let claims = processes.filter(\.claims).map { "\($0.id.launch):\($0.claimCount)" }
        return claims.isEmpty ? nil : claims.joined(separator: " ")
    }

    /// Whether a process may take the lock from one that is stopped.
    func mayReplaceLeader(_ process: Process) -> Bool {
        processes.contains { $0.leads && $0.isStopped && !$0.isDeposed }
            && !processes.contains { $0.claims && $0 !== process && !process.claims && !$0.isStopped }
    }

    func replaceLeader() { for process in processes where process.leads { process.isDeposed = true } }

    /// Loses all unsynced data.
    func losePower() {
        disk.losePower()
        watch.lostPower()
    }

    /// Starts a program; it holds the lock when no other process does.
    func launch(_ dice: inout SeededRandom) -> Process {
        launches += 1
        let process = Process(
            ProcessID(device: number, launch: launches), disk: disk, leads: !processes.contains(where: \.leads),
            seed: dice.next())
        processes.append(process)
        return process
    }

    func process(_ id: ProcessID) -> Process? { processes.first { $0.id == id } }
}
