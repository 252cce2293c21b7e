package import SyncProtocol

/// The bounded queue of events for one listener, as wire frames. A listener whose queue exceeds the bound must pull
/// instead.
struct ListenerQueue: Sendable {
    /// Bounds both the number of queued frames and their bytes; the listeners of a view share the frames themselves.
    struct Bound: Sendable {
        let frames: Int
        let bytes: Int
    }

    private(set) var frames: [Frame] = []
    private(set) var end: SessionEvent?
    private var bytes = 0
    /// Presence frames: only the latest state of each participant, so that the queue is bounded by the number of
    /// participants.
    private var presence: [[UInt8]] = []
    /// The index in ``presence`` of each participant.
    private var places: [String: Int] = [:]
    private let bound: Bound

    init(bound: Bound) { self.bound = bound }

    /// Whether the queue no longer accepts frames.
    var isClosed: Bool { end != nil }

    /// - Parameter maxBytes: the maximum size of a frame; a larger one closes the queue.
    mutating func put(_ frame: Frame, maxBytes: Int = .max) {
        guard !isClosed else { return }
        guard frame.bytes.count <= maxBytes else {
            return close(SessionEvent(.behind, reason: "a change is too large for one event"), dropping: true)
        }
        guard frames.count < bound.frames, bytes + frame.bytes.count <= bound.bytes else {
            return close(SessionEvent(.behind, reason: "changes came faster than they were read"), dropping: true)
        }
        frames.append(frame)
        bytes += frame.bytes.count
    }

    /// Queues a frame about a participant; it replaces a queued frame about the same participant.
    mutating func put(_ frame: [UInt8], about person: String) {
        guard !isClosed else { return }
        if let place = places[person] {
            presence[place] = frame
        } else {
            places[person] = presence.count
            presence.append(frame)
        }
    }

    /// Replaces all queued presence frames.
    mutating func putEverybody(_ frame: [UInt8]) {
        guard !isClosed else { return }
        presence = [frame]
        places = [:]
    }

    mutating func close(_ event: SessionEvent, dropping: Bool) {
        guard !isClosed else { return }
        if dropping { frames = [] }
        (presence, places) = ([], [:])
        end = event
    }

    /// Returns and removes what was queued since the last call.
    mutating func take() -> QueuedEvents {
        defer {
            frames = []
            bytes = 0
            if !presence.isEmpty { (presence, places) = ([], [:]) }
        }
        return QueuedEvents(frames: frames, presence: presence, end: end)
    }
}

/// One change event, serialised once for all listeners of a view.
package struct Frame: Hashable, Sendable {
    package var revision: Revision
    package var bytes: [UInt8]
}

/// The events that a listener takes from its queue.
package struct QueuedEvents: Hashable, Sendable {
    package var frames: [Frame]
    /// Presence events in wire format.
    package var presence: [[UInt8]]
    /// The stream's last event; nil while it continues.
    package var end: SessionEvent?

    package init(frames: [Frame], presence: [[UInt8]] = [], end: SessionEvent?) {
        self.frames = frames
        self.presence = presence
        self.end = end
    }

    package var isEmpty: Bool { frames.isEmpty && presence.isEmpty && end == nil }

    /// Returns the frames to send, without the end event, to a client that has all changes up to this revision.
    package func pieces(after revision: Revision) -> [[UInt8]] {
        frames.filter { $0.revision > revision }.map(\.bytes) + presence
    }
}
