package import Annotations

/// Decides which live channel is open. There is one that counts; the one it replaces is read on until the new one is
/// heard, so that a new token leaves no gap.
///
/// Methods are named by what happened. It opens and closes nothing: the ids it returns are to be closed.
package struct StreamMachine: Hashable, Sendable {
    package struct Channel: Hashable, Sendable {
        package var id: StreamID
        package var ticket: TokenHandle
        package var kind: LiveChannel
        var openedAt: Timestamp
        var lastHeard: Timestamp
        var wasHeard = false
        /// More came than that it is open.
        package internal(set) var isProven = false
    }

    package enum Silence: Hashable, Sendable {
        /// It opened and brought nothing, not even that it is open: something in between gathers it.
        case gathered(closing: StreamID)
        /// No heartbeat for too long.
        case dead
    }

    package enum Ending: Hashable, Sendable {
        /// Of a channel that does not count any more.
        case old
        /// Of a stream that never brought anything: the other way is to be tried before the server is given up.
        case unheard
        case current(Channel)
    }

    /// Milliseconds until an opened stream has to say so.
    static let openingPatience: Int64 = 10_000
    /// Milliseconds without a heartbeat after which a channel is dead.
    static let silenceTimeout: Int64 = 40_000
    /// Milliseconds for which streams are not tried again once one was gathered.
    static let pollingTime: Int64 = 600_000

    package private(set) var current: Channel?
    private var outgoing: StreamID?
    /// Streams do not come through; until then the server is polled.
    private var pollUntil: Timestamp?

    package init() {}

    /// The channel to open now by this token; nil when what is open will do.
    package func wanted(by ticket: TokenHandle, at now: Timestamp) -> LiveChannel? {
        let best: LiveChannel = pollUntil.map { $0 > now } ?? false ? .polling : .events
        guard let current, current.ticket == ticket else { return best }
        return current.kind == .polling && best == .events ? .events : nil
    }

    /// - Returns: what is not read any more.
    package mutating func opened(_ id: StreamID, _ ticket: TokenHandle, _ kind: LiveChannel, at now: Timestamp)
        -> [StreamID]
    {
        let dropped = current == nil ? [] : [outgoing].compactMap(\.self)
        outgoing = current?.id ?? outgoing
        current = Channel(id: id, ticket: ticket, kind: kind, openedAt: now, lastHeard: now)
        if kind == .events { pollUntil = nil }
        return dropped
    }

    /// - Returns: what the new channel takes the place of; nil when nobody reads the channel that was heard.
    package mutating func heard(_ id: StreamID, at now: Timestamp) -> [StreamID]? {
        guard id == current?.id else { return id == outgoing ? [] : nil }
        current?.lastHeard = now
        current?.wasHeard = true
        defer { outgoing = nil }
        return [outgoing].compactMap(\.self)
    }

    package mutating func broughtSomething(_ id: StreamID) { if id == current?.id { current?.isProven = true } }

    /// - Returns: nil while the silence is nothing to wonder about.
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
        // Polling does not come through either: it was not the stream's fault.
        if !current.wasHeard { pollUntil = nil }
        self.current = nil
        return .current(current)
    }

    /// - Returns: what was open.
    package mutating func closedAll() -> [StreamID] {
        defer { (current, outgoing) = (nil, nil) }
        return [outgoing, current?.id].compactMap(\.self)
    }

    /// The clock of this machine was set back by so many milliseconds.
    mutating func clockWentBack(by milliseconds: Int64) {
        guard var channel = current else { return }
        channel.openedAt = channel.openedAt + -milliseconds
        channel.lastHeard = channel.lastHeard + -milliseconds
        current = channel
        pollUntil = pollUntil.map { $0 + -milliseconds }
    }

    /// When ``timePassed(at:)`` or ``wanted(by:at:)`` may say something else.
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
