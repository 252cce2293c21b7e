import TestSupport

/// What one cycle does to whom, and when: drawn from the seed. The moments are those of a clock, so a seed replays the
/// plan and not the schedule of the machine.
struct Plan {
    struct Victims: OptionSet {
        let rawValue: Int
        static let server = Victims(rawValue: 1)
        static func writer(_ index: Int) -> Victims { Victims(rawValue: 2 << index) }
    }

    /// Milliseconds of edits before the blow.
    var before: Int
    var victims: Victims
    /// Milliseconds for which the others go on alone.
    var alone: Int
    /// They are killed a second time so many milliseconds after they were started again; nil: they are not.
    var again: Int?

    init(using random: inout SeededRandom, writers: Int) {
        before = Int.random(in: 0...300, using: &random)
        let writer = Victims.writer(Int.random(in: 0..<writers, using: &random))
        victims = random.pick([.server, writer, writer.union(.server), Self.all(writers)])
        alone = random.chance(1, of: 2) ? 0 : Int.random(in: 0...150, using: &random)
        again = random.chance(1, of: 4) ? Int.random(in: 0...250, using: &random) : nil
    }

    private static func all(_ writers: Int) -> Victims {
        (0..<writers).reduce(.server) { $0.union(.writer($1)) }
    }
}
