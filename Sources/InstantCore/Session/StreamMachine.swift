package import Annotations

/// The state machine of the live channel. Only one channel is current; the one it replaces is still read until the new
/// one delivers data, so that a new token leaves no gap.
///
/// Methods are named after events. The machine opens and closes nothing: the caller closes the ids it returns.
package struct StreamMachine: Hashable, Sendable {
    package struct Channel: Hashable, Sendable {
        package var id: StreamID
        package var ticket: TokenHandle
        package var kind: LiveChannel
        var openedAt: Timestamp
        var lastHeard: Timestamp
        var wasHeard = false
        /// Whether more than the `open` event was received.
        package internal(set) var isProven = false
    }

    package enum Silence: Hashable, Sendable {
        /// The stream delivered nothing, not even its `open` event, so a proxy is probably buffering it.
        case gathered(closing: StreamID)
        /// No heartbeat within the timeout.
        case dead
    }

    package enum Ending: Hashable, Sendable {
        /// The channel was already replaced.
        case old
        /// The stream never delivered anything; try polling before giving up on the server.
        case unheard
        case current(Channel)
    }

    /// Milliseconds until an opened stream must have delivered its `open` event.
    static let openingPatience: Int64 = 10_000
    /// Milliseconds without a heartbeat after which a channel is dead.
    static let silenceTimeout: Int64 = 40_000
    /// Milliseconds until streams are tried again after one was buffered.
    static let pollingTime: Int64 = 600_000

    package private(set) var current: Channel?
    private var outgoing: StreamID?
    /// Streams do not get through; use polling until this time.
    private var pollUntil: Timestamp?

    package init() {}

    /// Returns the channel to open with this token; nil if the open one suffices.
    package func wanted(by ticket: TokenHandle, at now: Timestamp) -> LiveChannel? {
        let best: LiveChannel = pollUntil.map { $0 > now } ?? false ? .polling : .events
        guard let current, current.ticket == ticket else { return best }
        return current.kind == .polling && best == .events ? .events : nil
    }

    /// - Returns: The channels to close.
    package mutating func opened(_ id: StreamID, _ ticket: TokenHandle, _ kind: LiveChannel, at now: Timestamp)
        -> [StreamID]
    {
        let dropped = current == nil ? [] : [outgoing].compactMap(\.self)
        outgoing = current?.id ?? outgoing
        current = Channel(id: id, ticket: ticket, kind: kind, openedAt: now, lastHeard: now)
        if kind == .events { pollUntil = nil }
        return dropped
    }

    /// - Returns: The channels that the new one replaces; nil if the channel that delivered is not read.
    package mutating func heard(_ id: StreamID, at now: Timestamp) -> [StreamID]? {
        guard id == current?.id else { return id == outgoing ? [] : nil }
        current?.lastHeard = now
        current?.wasHeard = true
        defer { outgoing = nil }
        return [outgoing].compactMap(\.self)
    }

    package mutating func broughtSomething(_ id: StreamID) { if id == current?.id { current?.isProven = true } }

    /// - Returns: nil while the silence is within the timeouts.
    package mutating func timePassed(at now: Timestamp) -> Silence? {
        guard let current else { return nil }
        if isOpening, current.openedAt + Self.openingPatience <= now {
            fallBack(at: now)
            return .gathered(closing: current.id)
        }
        return current.lastHeard + Self.silenceTimeout <= now ? .dead : nil
    }

    package mutating func ended(_ id: StreamID, at now: Timestamp) -> Ending {
        guard let current, current.id == id else {
            if id == outgoing { outgoing = nil }
            return .old
        }
        if isOpening {
            fallBack(at: now)
            return .unheard
        }
        // Polling also failed, so the stream was not the cause.
        if !current.wasHeard { pollUntil = nil }
        self.current = nil
        return .current(current)
    }

    /// - Returns: The channels that were open.
    package mutating func closedAll() -> [StreamID] {
        defer { (current, outgoing) = (nil, nil) }
        return [outgoing, current?.id].compactMap(\.self)
    }

    /// Shifts the times after the local clock was set back.
    mutating func clockWentBack(by milliseconds: Int64) {
        pollUntil = pollUntil.map { $0 + -milliseconds }
        guard var channel = current else { return }
        channel.openedAt = channel.openedAt + -milliseconds
        channel.lastHeard = channel.lastHeard + -milliseconds
        current = channel
    }

    /// The next time at which the result of ``timePassed(at:)`` or ``wanted(by:at:)`` may change.
    package var due: Timestamp? {
        guard let current else { return nil }
        let silence = isOpening ? current.openedAt + Self.openingPatience : current.lastHeard + Self.silenceTimeout
        guard current.kind == .polling, let pollUntil else { return silence }
        return min(silence, pollUntil)
    }

    private var isOpening: Bool { current.map { $0.kind == .events && !$0.wasHeard } ?? false }

    private mutating func fallBack(at now: Timestamp) {
        current = nil
        pollUntil = now + Self.pollingTime
    }
}
