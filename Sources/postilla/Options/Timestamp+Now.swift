import Annotations
import Instant

extension Timestamp {
    /// The wall clock, read only at the edge and passed in from here.
    static var now: Timestamp { Environment.system.now() }
}
