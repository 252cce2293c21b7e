import Glibc
import Simulation

/// `simulate [SEEDS] [FROM]` runs SEEDS histories starting with seed FROM, on all cores. It prints each failure, and at
/// the end how many failed of each kind, with one seed. Without FROM it draws the first seed, so that each run tests new
/// histories, and prints it first. `simulate --trace SEED` prints one history line by line. `simulate --cluster [SEED]` prints what many servers on one database
/// cost.
@main
struct Simulate {
    static func main() async {
        var words = CommandLine.arguments.dropFirst()
        if words.first == "--cluster" { return cluster(words.dropFirst().first.flatMap { UInt64($0) } ?? 1) }
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
        let run = Run(from: from, count: seeds) { failure in
            print("seed \(failure.seed): \(failure.why)")
            fflush(nil)
        }
        let kinds = await run.perform()
        let seconds = (clock.now - start) / .seconds(1)
        guard kinds.isEmpty else {
            for (kind, failures) in kinds {
                print("\(failures.count) × \(kind)\n  make simulate TRACE=\(failures[0].seed)")
            }
            return end("\(kinds.reduce(0) { $0 + $1.failures.count }) of \(seeds) histories failed", 1)
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

    /// Prints the load of 100 servers for growing numbers of people, and each in a second.
    private static func cluster(_ seed: UInt64) {
        print(
            "servers people commits NOTIFY-transactions deliveries looks polls polled-layers events presence-entries "
                + "layers-of-a-server")
        for (servers, people, visible) in [(2, 1000, 1.0), (10, 10_000, 1), (100, 100_000, 1), (100, 1_000_000, 0)] {
            var scene = ClusterScene()
            (scene.servers, scene.people, scene.visible) = (servers, people, visible)
            scene.loss = 0.001
            var simulation = ClusterSimulation(scene, seed: seed)
            do {
                let load = try simulation.run()
                let columns = [
                    load.commits, load.notifyTransactions, load.deliveries, load.looks, load.polls,
                    load.polledLayers, load.events, load.presenceEntries,
                ].map { "\($0 / scene.seconds)" }
                print("\(servers) \(people) \(columns.joined(separator: " ")) \(load.mostLayersOfAServer)")
            } catch { end("seed \(seed): \(error)", 1) }
            fflush(nil)
        }
    }

    private static func end(_ message: String, _ status: Int32) {
        print(message)
        exit(status)
    }
}
