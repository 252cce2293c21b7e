import Glibc
import Simulation
import Synchronization

/// Many histories, with one worker per core. A history that fails does not end the run: one kind of fault may hide
/// another.
final class Run: Sendable {
    struct Failure: Sendable {
        var seed: UInt64
        var why: String

        /// The message without ids, names, numbers and texts.
        var kind: String { Self.kind(of: why) }

        private static func kind(of why: String) -> String {
            let words = why.split(separator: " ").map { word in
                word.contains(where: \.isNumber) || word.contains("#") ? "…" : String(word)
            }
            var kind: [String] = []
            for word in words where word != "…" || kind.last != "…" { kind.append(word) }
            return kind.joined(separator: " ")
        }
    }

    private let end: UInt64
    private let next: Atomic<UInt64>
    private let failures = Mutex<[Failure]>([])
    private let report: @Sendable (Failure) -> Void

    /// - Parameter report: Called for each failure as it is found, on any thread.
    init(from: UInt64, count: UInt64, report: @escaping @Sendable (Failure) -> Void) {
        next = Atomic(from)
        end = from &+ count
        self.report = report
    }

    /// - Returns: The failures by kind, most frequent first.
    func perform() async -> [(kind: String, failures: [Failure])] {
        let workers = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<workers { group.addTask { self.work(as: worker) } }
        }
        let kinds = Dictionary(grouping: failures.withLock(\.self), by: \.kind)
        return kinds.map { (kind: $0.key, failures: $0.value.sorted { $0.seed < $1.seed }) }
            .sorted { ($1.failures.count, $0.kind) < ($0.failures.count, $1.kind) }
    }

    private func work(as worker: Int) {
        while true {
            let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard seed < end else { return }
            LastWords.note(seed, of: worker)
            guard case .violated(let why) = Simulation(seed: seed).run() else { continue }
            let failure = Failure(seed: seed, why: why)
            failures.withLock { $0.append(failure) }
            report(failure)
        }
    }
}
