package import Foundation

/// Runs episodes in sequence, one seed each, for the given time.
package struct Campaign {
    package var postilla: String
    package var folder: URL
    package var seed: UInt64
    package var seconds: Int
    /// nil to alternate between both, by the parity of the seed.
    package var store: StoreKind?
    /// Records of the copied layer.
    package var largeLayer = 8_000
    /// Continues after a failure, with new servers.
    package var keepsGoing = false
    /// The time that a health check may take in addition to twenty times its time at rest.
    package var slack: Duration = .seconds(1)
    /// How long the server may be silent while a response is due and its peer reads.
    package var patience: Duration = .seconds(10)
    /// The maximum number of episodes.
    package var episodes = Int.max

    package init(postilla: String, folder: URL, seed: UInt64, seconds: Int) {
        (self.postilla, self.folder, self.seed, self.seconds) = (postilla, folder, seed, seconds)
    }

    /// The bytes that a server may hold in addition to those at rest.
    private static let memory = 400 << 20

    /// - Parameter say: Receives a line about each episode.
    /// - Returns: The seeds that failed, with the reasons.
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
        say("\(count) episodes; next: SEED=\(seed)")
        return failures
    }

    private func start(_ kind: StoreKind, number: Int, _ say: (String) -> Void) throws -> (Servers, Duration) {
        let servers = try Servers(
            kind, postilla: postilla, folder: folder.appendingPathComponent("\(kind.rawValue)-\(number)"),
            largeLayer: largeLayer)
        // One idle second gives the baseline for later response times.
        let process = servers.processes[0]
        let probe = Probe(port: process.port, process: process.processID, bound: .seconds(60), memory: .max)
        poll(nil, 0, 1_000)
        probe.stop()
        let bound = slack + probe.percentile(99) * 20
        say(
            "\(kind.rawValue): a health check takes \(probe.percentile(99).wholeMilliseconds) ms at rest (p99); "
                + "\(bound.wholeMilliseconds) ms or more is a failure")
        return (servers, bound)
    }
}
