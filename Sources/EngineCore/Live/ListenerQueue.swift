package import SyncProtocol

/// What waits for one listener: frames of the wire, bounded. Whoever is slower than the bound is told to pull.
struct ListenerQueue: Sendable {
    /// Frames are shared by all listeners of one view, so what counts is their number and their bytes.
    struct Bound: Sendable {
        let frames: Int
        let bytes: Int
    }

    private(set) var frames: [Frame] = []
    private(set) var end: SessionEvent?
    private var bytes = 0
    /// Who is there, as frames: of each person only what is true now, so that what waits is bounded by the people.
    private var presence: [[UInt8]] = []
    /// Where in ``presence`` each person stands.
    private var places: [String: Int] = [:]
    private let bound: Bound

    init(bound: Bound) { self.bound = bound }

    /// Nothing more will come.
    var isClosed: Bool { end != nil }

    /// - Parameter largest: bytes of a frame; what is larger cannot be told in one event.
    mutating func put(_ frame: Frame, maxBytes: Int = .max) {
        guard !isClosed else { return }
        guard frame.bytes.count <= maxBytes else {
            return close(SessionEvent(.behind, reason: "more changed at once than fits one event"), dropping: true)
        }
        guard frames.count < bound.frames, bytes + frame.bytes.count <= bound.bytes else {
            return close(SessionEvent(.behind, reason: "changes came faster than they were read"), dropping: true)
        }
        frames.append(frame)
        bytes += frame.bytes.count
    }

    /// Takes the place of what was waiting about the same person.
    mutating func put(_ frame: [UInt8], about person: String) {
        guard !isClosed else { return }
        if let place = places[person] {
            presence[place] = frame
        } else {
            places[person] = presence.count
            presence.append(frame)
        }
    }

    /// Takes the place of all that was waiting about people.
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

    /// What came since the last call.
    mutating func take() -> QueuedEvents {
        defer {
            frames = []
            bytes = 0
            if !presence.isEmpty { (presence, places) = ([], [:]) }
        }
        return QueuedEvents(frames: frames, presence: presence, end: end)
    }
}

/// One change event, written out once for all listeners of a view.
package struct Frame: Hashable, Sendable {
    package var revision: Revision
    package var bytes: [UInt8]
}

/// What a listener takes out of its mailbox.
package struct QueuedEvents: Hashable, Sendable {
    package var frames: [Frame]
    /// Events about people, as they go over the wire.
    package var presence: [[UInt8]]
    /// The stream's last event; nil while it goes on.
    package var end: SessionEvent?

    package init(frames: [Frame], presence: [[UInt8]] = [], end: SessionEvent?) {
        self.frames = frames
        self.presence = presence
        self.end = end
    }

    package var isEmpty: Bool { frames.isEmpty && presence.isEmpty && end == nil }

    /// What goes over the wire, but for the end, to whoever has all changes up to this revision.
    package func pieces(after revision: Revision) -> [[UInt8]] {
        frames.filter { $0.revision > revision }.map(\.bytes) + presence
    }
}
