import Annotations
import Foundation
import Synchronization

/// Several writers at once, each waiting for the answer to one record before it sends the next; the peers take turns.
struct WritesBenchmark {
    var writers = 8
    var seconds = 2.0
    var turns = 5

    struct Peer {
        var name: String
        var make: () throws -> any DurableWriter
    }

    /// - Returns: The answers per second in each turn, in the order of the peers.
    func run(_ peers: [Peer]) throws -> [[Double]] {
        let connections = try peers.map { peer in try (0..<writers).map { _ in try peer.make() } }
        var rates = peers.map { _ in [Double]() }
        for turn in 0..<turns + 1 {
            for (index, writers) in connections.enumerated() {
                let rate = try self.rate(of: writers, turn: "\(index)-\(turn)")
                // The first turn warms up.
                if turn > 0 { rates[index].append(rate) }
            }
        }
        return rates
    }

    private func rate(of writers: [any DurableWriter], turn: String) throws -> Double {
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let outcome = Mutex((count: 0, failure: nil as (any Error)?))
        // Each writer is used by one thread. Dispatch would run only as many at once as there are processors.
        nonisolated(unsafe) let writers = writers
        let done = DispatchGroup()
        for number in writers.indices {
            done.enter()
            Thread.detachNewThread {
                defer { done.leave() }
                var count = 0
                do {
                    while ContinuousClock.now < end {
                        try writers[number].start(
                            id: "w\(writers.count)-\(number)-\(turn)-\(count)", content: EditBenchmark.note(count))
                        try writers[number].finish()
                        count += 1
                    }
                    outcome.withLock { $0.count += count }
                } catch { outcome.withLock { $0.failure = error } }
            }
        }
        done.wait()
        let took = ContinuousClock.now - start
        return try outcome.withLock {
            if let failure = $0.failure { throw failure }
            return Double($0.count) / (took.milliseconds / 1000)
        }
    }
}
