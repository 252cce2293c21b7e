/// The system's random numbers, in a value that is not empty: the run-time of the thread sanitizer ends where an empty one is
/// handed on by reference, at the address that it does not have.
struct SystemDice: RandomNumberGenerator {
    private var system = SystemRandomNumberGenerator()
    private var drawn: UInt64 = 0

    mutating func next() -> UInt64 {
        drawn &+= 1
        return system.next()
    }
}
