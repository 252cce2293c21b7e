package import Foundation

/// Episodes one after the other, a seed each, for so long.
package struct Campaign {
    package var postilla: String
    package var folder: URL
    package var seed: UInt64
    package var seconds: Int
    /// nil: both in turns, by the parity of the seed.
    package var store: StoreKind?
    /// Records of the layer that is copied.
    package var largeLayer = 8_000
    /// Goes on behind a failure, with new servers.
    package var keepsGoing = false
    /// What a health check may take besides twenty times what it takes at rest.
    package var slack: Duration = .seconds(1)
    /// So long may the server be silent while it owes an answer and its peer reads.
    package var patience: Duration = .seconds(10)
    /// Not more episodes than this.
    package var episodes = Int.max

    package init(postilla: String, folder: URL, seed: UInt64, seconds: Int) {
        (self.postilla, self.folder, self.seed, self.seconds) = (postilla, folder, seed, seconds)
    }

    /// What a server may hold besides what it holds at rest, in bytes.
    private static let memory = 400 << 20

    /// - Parameter say: is told of each episode.
    /// - Returns: the seeds that failed, and why.
    package func run(_ say: (String) -> Void) throws -> [(seed: UInt64, failure: String)] {
        let end = ContinuousClock.now + .seconds(seconds)
        var running: [StoreKind: (servers: Servers, bound: Duration)] = [:]
        defer { for entry in running.values { entry.servers.stop() } }
        var failures: [(seed: UInt64, failure: String)] = []
        var seed = seed
        var count = 0
        while ContinuousClock.now < end, count < episodes {
            let kind = store ?? (seed % 2 == 0 ? .sqlite : .postgres)
            let plan = Plan(seed: seed)
            do {
                let entry = try running[kind] ?? start(kind, number: count, say)
                running[kind] = entry
                let episode = try Episode(
                    plan, entry.servers, bound: entry.bound, patience: patience, memory: Self.memory)
                try episode.run()
                say("seed \(seed), \(kind.rawValue): \(plan.summary): \(episode.summary)")
            } catch {
                failures.append((seed, "seed \(seed), \(kind.rawValue): \(plan.summary)\n\(error)"))
                say(failures[failures.count - 1].failure)
                running.removeValue(forKey: kind)?.servers.kill()
                guard keepsGoing else { break }
            }
            seed += 1
            count += 1
        }
        say("\(count) episodes; the next one: SEED=\(seed)")
        return failures
    }

    private func start(_ kind: StoreKind, number: Int, _ say: (String) -> Void) throws -> (Servers, Duration) {
        let servers = try Servers(
            kind, postilla: postilla, folder: folder.appendingPathComponent("\(kind.rawValue)-\(number)"),
            largeLayer: largeLayer)
        // A second of nothing else is what later answers are measured by.
        let process = servers.processes[0]
        let probe = Probe(port: process.port, process: process.processID, bound: .seconds(60), memory: .max)
        poll(nil, 0, 1_000)
        probe.stop()
        let bound = slack + probe.percentile(99) * 20
        say(
            "\(kind.rawValue): a health check takes \(probe.percentile(99).wholeMilliseconds) ms at rest (p99); "
                + "from \(bound.wholeMilliseconds) ms on it is a failure")
        return (servers, bound)
    }
}
