import Annotations

/// Generates the ids of new records. A value, so that `update` stays a function of its input: the seed comes from the
/// system's random numbers, which are read elsewhere.
struct IDGenerator: RandomNumberGenerator, Equatable, Sendable {
    private var first: UInt64
    private var second: UInt64

    init(seed: (UInt64, UInt64)) { (first, second) = seed }

    /// SplitMix64 over two alternating states: an id never uses more random bits than the seed holds.
    mutating func next() -> UInt64 {
        (first, second) = (second, first &+ 0x9E37_79B9_7F4A_7C15)
        var mixed = second
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func make(at now: Timestamp) -> Record.ID { ULID.make(at: now, using: &self) }
}
