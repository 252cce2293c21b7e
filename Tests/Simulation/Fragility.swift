import EngineCore
import InstantCore
import Synchronization
import TestSupport

/// The process has died: none of its later work happens.
struct ProcessDied: Error {}

/// A fault of a store, and the number of the next transaction that it hits.
struct Fragility: Sendable {
    enum Fault: CaseIterable, Sendable {
        /// The process dies, and the transaction was not committed.
        case dieBefore
        /// The process dies, and the transaction was committed.
        case dieAfter
        /// No space left: this and the next transactions change nothing.
        case full
    }

    private(set) var isDead = false
    private var fault: Fault?
    private var countdown = 0
    private var times = 0

    mutating func arm(_ fault: Fault, at transaction: Int) {
        self.fault = fault
        countdown = transaction
        times = fault == .full ? 3 : 1
    }

    mutating func disarm() { fault = nil }

    /// Returns the fault of the transaction that begins now.
    mutating func begin() -> Fault? {
        guard let fault else { return nil }
        countdown -= 1
        guard countdown <= 0 else { return nil }
        times -= 1
        if times <= 0 { self.fault = nil }
        if fault != .full { isDead = true }
        return fault
    }
}

/// One process's handle on a client's store, which outlives the process.
final class FragileLocalStore: LocalStore {
    private let kept: MemoryStore
    private let fragility = Mutex(Fragility())

    init(_ kept: MemoryStore) { self.kept = kept }

    var isDead: Bool { fragility.withLock { $0.isDead } }
    func arm(_ fault: Fragility.Fault, at transaction: Int) {
        fragility.withLock { $0.arm(fault, at: transaction) }
    }
    func disarm() { fragility.withLock { $0.disarm() } }

    func read<T>(_ body: (any InstantCore.StoredLayer) throws -> T) throws -> T {
        if isDead { throw ProcessDied() }
        return try kept.read(body)
    }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        if isDead { throw ProcessDied() }
        switch fragility.withLock({ $0.begin() }) {
        case nil: return try kept.write(durability, body)
        case .full:
            return try kept.write {
                _ = try body($0)
                throw LocalStoreError.failed(path: "store", "no space left on the device")
            }
        case .dieBefore:
            return try kept.write {
                _ = try body($0)
                throw ProcessDied()
            }
        case .dieAfter:
            _ = try kept.write(durability, body)
            throw ProcessDied()
        }
    }
}

/// One server process's handle on the server's store.
final class FragileLayerStore: LayerStore {
    private let kept: MemoryLayerStore
    private let fragility = Mutex(Fragility())

    init(_ kept: MemoryLayerStore) { self.kept = kept }

    var isDead: Bool { fragility.withLock { $0.isDead } }
    func arm(_ fault: Fragility.Fault, at transaction: Int) {
        fragility.withLock { $0.arm(fault, at: transaction) }
    }
    func disarm() { fragility.withLock { $0.disarm() } }

    func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result {
        if isDead { throw ProcessDied() }
        return try kept.read(body)
    }

    func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        if isDead { throw ProcessDied() }
        switch fragility.withLock({ $0.begin() }) {
        case nil: return try kept.write(body)
        case .full:
            return try kept.write { store -> Result in
                _ = try body(store)
                throw DiskFull()
            }
        case .dieBefore:
            return try kept.write { store -> Result in
                _ = try body(store)
                throw ProcessDied()
            }
        case .dieAfter:
            _ = try kept.write(body)
            throw ProcessDied()
        }
    }

    struct DiskFull: Error {}
}
