import Annotations
import Instant

extension Timestamp {
    /// The wall clock: read at the rim only and passed in from here.
    static var now: Timestamp { Environment.system.now() }
}
