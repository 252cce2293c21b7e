package import Annotations

/// What time brings to those who listen: a sign of life now and then, a warning in the last minute of their token, and
/// its end. One for all listeners of a server; it is asked every second or so.
package struct HeartbeatTimer: Sendable {
    package enum Tick: Hashable, Sendable {
        case heartbeat
        /// The token's last minute has begun.
        case expiring
        /// The token's time is over.
        case over
    }

    private struct Listener: Sendable {
        var end: Timestamp
        var nextBeat: Timestamp
        var isWarned = false
    }

    /// Milliseconds between two heartbeats.
    package static let interval: Int64 = 15_000
    /// How long before its end a token is said to be ending.
    package static let warning: Int64 = 60_000

    private var listeners: [EventBroadcaster.ListenerID: Listener] = [:]

    package init() {}

    /// - Parameter end: of the token that is listened with.
    package mutating func add(_ id: EventBroadcaster.ListenerID, until end: Timestamp, now: Timestamp) {
        listeners[id] = Listener(end: end, nextBeat: now + Self.interval)
    }

    package mutating func remove(_ id: EventBroadcaster.ListenerID) { listeners[id] = nil }

    /// - Returns: whom to wake, and for what.
    package mutating func timePassed(at now: Timestamp) -> [(id: EventBroadcaster.ListenerID, beat: Tick)] {
        var beats: [(id: EventBroadcaster.ListenerID, beat: Tick)] = []
        for (id, listener) in listeners {
            if listener.end <= now {
                beats.append((id, .over))
            } else if !listener.isWarned, listener.end - now <= Self.warning {
                listeners[id]?.isWarned = true
                beats.append((id, .expiring))
            } else if listener.nextBeat <= now || listener.nextBeat > now + Self.interval {
                // The second: the clock was set back, and silence would be taken for death.
                listeners[id]?.nextBeat = now + Self.interval
                beats.append((id, .heartbeat))
            }
        }
        return beats
    }
}
