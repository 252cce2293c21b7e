import Glibc
import Simulation

/// `simulate [SEEDS] [FROM]` runs SEEDS histories starting with seed FROM, on all cores, and stops at the first
/// failure. Without FROM it draws the first seed, so that each run tests new histories, and prints it first. `simulate
/// --trace SEED` prints one history line by line.
@main
struct Simulate {
    static func main() async {
        var words = CommandLine.arguments.dropFirst()
        let isTrace = words.first == "--trace"
        if isTrace { words = words.dropFirst() }
        let numbers = words.compactMap { UInt64($0) }
        guard numbers.count == words.count, numbers.count <= (isTrace ? 1 : 2), !isTrace || numbers.count == 1 else {
            return end("simulate [SEEDS] [FROM] | simulate --trace SEED", 64)
        }
        if isTrace { return tell(numbers[0]) }
        let seeds = numbers.first ?? 1000
        let from = numbers.dropFirst().first ?? UInt64.random(in: 0..<1_000_000_000_000)
        print("\(seeds) histories from seed \(from); to repeat them: make simulate SEEDS=\(seeds) FROM=\(from)")
        // Visible even when the run is killed or its output is a file.
        fflush(nil)
        let clock = ContinuousClock()
        let start = clock.now
        let run = Run(from: from, count: seeds)
        let failure = await run.perform()
        let seconds = (clock.now - start) / .seconds(1)
        if let failure {
            return end("seed \(failure.seed): \(failure.why)\n  make simulate SEEDS=1 FROM=\(failure.seed)", 1)
        }
        print("\(seeds) histories from seed \(from) held, \(Int(Double(seeds) / max(seconds, 0.001))) a second")
    }

    private static func tell(_ seed: UInt64) {
        let trace = Trace(isKept: true)
        let outcome = Simulation(seed: seed).run(trace: trace)
        for line in trace.lines { print(line) }
        switch outcome {
        case .held: print("seed \(seed) held")
        case .violated(let why): end("seed \(seed): \(why)", 1)
        }
    }

    private static func end(_ message: String, _ status: Int32) {
        print(message)
        exit(status)
    }
}
