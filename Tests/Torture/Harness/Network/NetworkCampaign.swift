import EngineSupport
package import Foundation
import TestSupport

/// Real clients reach the real server through proxies that cut, delay, hold back, spoil and refuse. Whatever is not refused
/// arrives once, what is put aside is named, and a client leaves the server alone while nothing changes.
package struct NetworkCampaign {
    package var postilla: String
    package var folder: URL
    package var seed: UInt64
    package var seconds: Int
    package var keepsGoing = false
    /// The maximum number of episodes.
    package var episodes = Int.max
    /// The number of things that people do in an episode.
    package var steps = 60

    package init(postilla: String, folder: URL, seed: UInt64, seconds: Int) {
        (self.postilla, self.folder, self.seed, self.seconds) = (postilla, folder, seed, seconds)
    }

    /// - Parameter say: Receives a line about each episode.
    /// - Returns: The seeds that failed, with the reasons.
    package func run(_ say: (String) -> Void) async throws -> [(seed: UInt64, failure: String)] {
        let end = ContinuousClock.now + .seconds(seconds)
        let server = try ServerProcess(
            postilla: postilla, folder: folder.appendingPathComponent("server"),
            options: ["--limit", "requests-per-second=0"])
        defer { server.stop() }
        var failures: [(seed: UInt64, failure: String)] = []
        var (seed, count) = (seed, 0)
        while ContinuousClock.now < end, count < episodes {
            let place = folder.appendingPathComponent("network-\(seed)")
            do {
                let episode = try await NetworkEpisode(server, folder: place, seed: seed, steps: steps)
                try await episode.run()
                say("seed \(seed): \(episode.summary)")
                try? FileManager.default.removeItem(at: place)
            } catch {
                failures.append((seed, "seed \(seed): \(error)"))
                say(failures[failures.count - 1].failure)
                guard keepsGoing else { break }
            }
            seed += 1
            count += 1
        }
        say("\(count) episodes; next: SEED=\(seed)")
        return failures
    }
}
