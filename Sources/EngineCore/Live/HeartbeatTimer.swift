package import Annotations

/// Time events for listeners: periodic heartbeats, a warning in the last minute of a token, and its expiry. One
/// instance serves all listeners of a server; poll it about once a second.
package struct HeartbeatTimer: Sendable {
    package enum Tick: Hashable, Sendable {
        case heartbeat
        /// The token expires within a minute.
        case expiring
        /// The token has expired.
        case over
    }

    private struct Listener: Sendable {
        var end: Timestamp
        var nextBeat: Timestamp
        var isWarned = false
    }

    /// Milliseconds between two heartbeats.
    package static let interval: Int64 = 15_000
    /// The time before a token's expiry at which its listener is warned, in milliseconds.
    package static let warning: Int64 = 60_000

    private var listeners: [EventBroadcaster.ListenerID: Listener] = [:]

    package init() {}

    /// - Parameter end: the expiry of the listener's token.
    package mutating func add(_ id: EventBroadcaster.ListenerID, until end: Timestamp, now: Timestamp) {
        listeners[id] = Listener(end: end, nextBeat: now + Self.interval)
    }

    package mutating func remove(_ id: EventBroadcaster.ListenerID) { listeners[id] = nil }

    /// - Returns: the listeners to wake and why.
    package mutating func timePassed(at now: Timestamp) -> [(id: EventBroadcaster.ListenerID, beat: Tick)] {
        var beats: [(id: EventBroadcaster.ListenerID, beat: Tick)] = []
        for (id, listener) in listeners {
            if listener.end <= now {
                beats.append((id, .over))
            } else if !listener.isWarned, listener.end - now <= Self.warning {
                listeners[id]?.isWarned = true
                beats.append((id, .expiring))
            } else if listener.nextBeat <= now || listener.nextBeat > now + Self.interval {
                // The second condition: the clock was set back, and without a heartbeat the client would give up the
                // stream.
                listeners[id]?.nextBeat = now + Self.interval
                beats.append((id, .heartbeat))
            }
        }
        return beats
    }
}
