import Glibc
import Synchronization

/// Prints the seeds in progress when a trap kills the process: a history that crashes the core replays too.
enum LastWords {
    private static let places = 64
    /// Set up before any worker begins, read by the signal handler, which may not allocate.
    nonisolated(unsafe) private static let seeds: UnsafeMutablePointer<UInt64> = {
        let seeds = UnsafeMutablePointer<UInt64>.allocate(capacity: places)
        seeds.initialize(repeating: .max, count: places)
        for trap in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] { signal(trap) { _ in LastWords.speak() } }
        return seeds
    }()

    static func note(_ seed: UInt64, of worker: Int) { seeds[worker % places] = seed }

    /// Formats digits manually: nothing else is safe in a signal handler.
    private static func speak() {
        for place in 0..<places where seeds[place] != .max {
            say("\n  make simulate SEEDS=1 FROM=")
            var divisor: UInt64 = 1
            while seeds[place] / divisor >= 10 { divisor *= 10 }
            while divisor > 0 {
                var digit = UInt8(48 + seeds[place] / divisor % 10)
                write(2, &digit, 1)
                divisor /= 10
            }
        }
        say("\n")
        _exit(70)
    }

    private static func say(_ text: StaticString) { write(2, text.utf8Start, text.utf8CodeUnitCount) }
}
