import Glibc
import Simulation
import Synchronization

/// Many histories, with one worker per core.
final class Run: Sendable {
    struct Failure: Sendable {
        var seed: UInt64
        var why: String
    }

    private let end: UInt64
    private let next: Atomic<UInt64>
    private let failure = Mutex<Failure?>(nil)

    init(from: UInt64, count: UInt64) {
        next = Atomic(from)
        end = from &+ count
    }

    /// - Returns: The lowest seed that failed; nil when all held.
    func perform() async -> Failure? {
        let workers = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<workers { group.addTask { self.work(as: worker) } }
        }
        return failure.withLock { $0 }
    }

    private func work(as worker: Int) {
        while failure.withLock({ $0 == nil }) {
            let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard seed < end else { return }
            LastWords.note(seed, of: worker)
            guard case .violated(let why) = Simulation(seed: seed).run() else { continue }
            failure.withLock { if $0.map({ seed < $0.seed }) ?? true { $0 = Failure(seed: seed, why: why) } }
        }
    }
}
