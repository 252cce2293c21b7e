// Several clients and the server, run through their synchronous cores in one thread of one process. This module
// supplies time, randomness, the network, the disks and the people. Everything is drawn from one seed, so that a
// failing history replays.
//
// Clients/  people, their programs, and what they wanted
// Server/   the server behind bytes
// Proof/    what must hold, computed independently of the code under test

/// One history.
package struct Simulation {
    package enum Outcome: Hashable, Sendable {
        case held
        case violated(String)
    }

    package let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// Runs the history to its end, to rest, and to rest again with all rights.
    package func run(trace: Trace = Trace(isKept: false)) -> Outcome {
        do {
            let universe = try Universe(seed: seed, trace: trace)
            for _ in 0..<universe.profile.steps { try universe.step() }
            try universe.settle()
            try universe.checkQuiet()
            try universe.widen()
            try universe.checkQuiet()
            return .held
        } catch { return .violated("\(error)") }
    }
}
