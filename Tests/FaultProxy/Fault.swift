package import TestSupport

/// What a line does to what goes over it. Bytes are counted from the beginning of the connection.
package enum Fault: Hashable, Sendable {
    package enum Way: Hashable, Sendable { case up, down }

    case none
    /// Taken, and reset before a byte has passed.
    case refuse
    /// Reset (RST) after so many bytes.
    case reset(after: Int, Way)
    /// Closed as if all were said (FIN), after so many bytes.
    case close(after: Int, Way)
    /// After so many bytes nothing more comes that way, and nobody is told.
    case stall(after: Int, Way)
    case slow(bytesPerSecond: Int)
    /// Bytes that nobody sent are in between, after so many.
    case garbage(after: Int, Way)
    /// A proxy that hands an answer on once it is complete. The answers to requests with this text in their head are
    /// live streams: they never are.
    case buffer(requestsWith: String)

    /// Any of those that a client has to come back from by itself, soon: a line that is dead without saying so is told
    /// only by a clock.
    package static func any(using random: inout SeededRandom) -> Fault {
        let way: Way = random.chance(1, of: 2) ? .up : .down
        // Most cuts fall into heads and small answers.
        let after = Int.random(in: 0...(random.chance(3, of: 4) ? 1500 : 20_000), using: &random)
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: .refuse
        case 1, 2: .reset(after: after, way)
        case 3, 4: .close(after: after, way)
        case 5: .garbage(after: after, way)
        case 6: .slow(bytesPerSecond: Int.random(in: 20_000...200_000, using: &random))
        default: .none
        }
    }
}
