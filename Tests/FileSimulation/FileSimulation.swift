// The engine of local PDFs, played through its core: people, programs, kills, power and disks in one thread. Everything is
// drawn from one seed, so that a failing history replays.

/// One history.
package struct FileSimulation {
    package let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    package enum Outcome: Sendable {
        case held
        /// What is wrong, without and with its details.
        case violated(kind: String, String)
    }

    package func run(story: Story = Story(isKept: false)) -> Outcome {
        let world = World(seed, story)
        do {
            try world.run()
            return .held
        } catch {
            return .violated(kind: (error as? Violation)?.kind ?? "\(error)", "\(error)")
        }
    }
}
