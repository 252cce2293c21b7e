import FileSimulation
import Glibc
import Synchronization

/// `simulate-files [SEEDS] [FROM]` runs SEEDS histories of local PDFs from seed FROM, on all cores. It goes on after a
/// failure, counts the kinds, and prints the lowest seed of each. `simulate-files --trace SEED` prints one history.
@main
struct SimulateFiles {
    static func main() async {
        var words = CommandLine.arguments.dropFirst()
        let isTrace = words.first == "--trace"
        if isTrace { words = words.dropFirst() }
        let numbers = words.compactMap { UInt64($0) }
        guard numbers.count == words.count, numbers.count <= (isTrace ? 1 : 2), !isTrace || numbers.count == 1 else {
            return end("simulate-files [SEEDS] [FROM] | simulate-files --trace SEED", 64)
        }
        if isTrace { return tell(numbers[0]) }
        let seeds = numbers.first ?? 1000
        let from = numbers.dropFirst().first ?? UInt64.random(in: 0..<1_000_000_000_000)
        print("\(seeds) histories from seed \(from); to repeat them: make simulate-files SEEDS=\(seeds) FROM=\(from)")
        fflush(nil)
        let clock = ContinuousClock()
        let start = clock.now
        let run = Run(from: from, count: seeds)
        await run.perform()
        let seconds = (clock.now - start) / .seconds(1)
        let failures = run.failures
        guard failures.isEmpty else {
            for (_, failure) in failures.sorted(by: { $0.value.seed < $1.value.seed }) {
                print("seed \(failure.seed): \(failure.why) (\(failure.count) such)")
            }
            let count = failures.values.reduce(0) { $0 + $1.count }
            return end("\(count) of \(seeds) histories failed; make simulate-files TRACE=SEED prints one", 1)
        }
        print("\(seeds) histories from seed \(from) held, \(Int(Double(seeds) / max(seconds, 0.001))) a second")
    }

    private static func tell(_ seed: UInt64) {
        let story = Story(isKept: true)
        let outcome = FileSimulation(seed: seed).run(story: story)
        for line in story.lines { print(line) }
        switch outcome {
        case .held: print("held")
        case .violated(_, let why): end("seed \(seed): \(why)", 1)
        }
    }

    private static func end(_ message: String, _ status: Int32) {
        print(message)
        fflush(nil)
        exit(status)
    }
}

/// Many histories, with one worker per core.
final class Run: Sendable {
    struct Failure: Sendable {
        var seed: UInt64
        var why: String
        var count = 1
    }

    private let end: UInt64
    private let next: Atomic<UInt64>
    private let found = Mutex<[String: Failure]>([:])

    init(from: UInt64, count: UInt64) {
        next = Atomic(from)
        end = from &+ count
    }

    /// By kind.
    var failures: [String: Failure] { found.withLock { $0 } }

    func perform() async {
        let workers = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<workers { group.addTask { self.work() } }
        }
    }

    private func work() {
        while true {
            let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard seed < end else { return }
            guard case .violated(let kind, let why) = FileSimulation(seed: seed).run() else { continue }
            found.withLock { found in
                guard var failure = found[kind] else { return found[kind] = Failure(seed: seed, why: why) }
                failure.count += 1
                if seed < failure.seed { (failure.seed, failure.why) = (seed, why) }
                found[kind] = failure
            }
        }
    }
}
