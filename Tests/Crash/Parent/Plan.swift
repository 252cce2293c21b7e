import TestSupport

/// The victims and times of one cycle, drawn from the seed. Times are those of a clock, so a seed replays the plan but
/// not the machine's scheduling.
struct Plan {
    struct Victims: OptionSet {
        let rawValue: Int
        static let database = Victims(rawValue: 1)
        /// At most eight.
        static func server(_ index: Int) -> Victims { Victims(rawValue: 2 << index) }
        static func writer(_ index: Int) -> Victims { Victims(rawValue: 512 << index) }
    }

    /// Milliseconds of edits before the kill.
    var before: Int
    var victims: Victims
    /// Milliseconds for which the others continue alone.
    var alone: Int
    /// The milliseconds between the restart and a second kill; nil if there is none.
    var again: Int?

    /// - Parameter hasDatabase: Whether a separate database can be killed.
    init(using random: inout SeededRandom, writers: Int, servers: Int = 1, hasDatabase: Bool = false) {
        before = Int.random(in: 0...300, using: &random)
        let writer = Victims.writer(Int.random(in: 0..<writers, using: &random))
        let server = servers == 1 ? .server(0) : Victims.server(Int.random(in: 0..<servers, using: &random))
        let everybody = (0..<writers).map(Victims.writer) + (0..<servers).map(Victims.server)
        victims = random.pick([server, writer, writer.union(server), Victims(everybody)])
        if hasDatabase, random.chance(1, of: 3) { victims.insert(.database) }
        alone = random.chance(1, of: 2) ? 0 : Int.random(in: 0...150, using: &random)
        again = random.chance(1, of: 4) ? Int.random(in: 0...250, using: &random) : nil
    }
}
