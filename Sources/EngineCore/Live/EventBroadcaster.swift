import Annotations
package import Authorization
package import SyncProtocol

/// The listeners of all layers and their queues. Listeners with the same view of a layer form a group: a commit is
/// filtered and serialised once per group.
///
/// Methods that queue events return the listeners to wake. Publish the commits of one layer in revision order.
package struct EventBroadcaster: Sendable {
    package typealias ListenerID = UInt64

    private struct Group: Sendable {
        /// The last revision sent to this view.
        var last: Revision
        var members: Set<ListenerID> = []
        private var known: (generation: String, base: Int64, epoch: String)?
        /// The hash of what this view last learned about each participant.
        private var presence: [String: Int] = [:]

        init(last: Revision) { self.last = last }

        /// Returns this view's epoch; recomputes it only when the layer's generation or base changes.
        mutating func epoch(of layer: ServerLayer, _ scope: ViewScope) -> String {
            if let known, known.generation.isExactly(layer.generation), known.base == layer.base { return known.epoch }
            let epoch = layer.epoch(for: scope)
            known = (layer.generation, layer.base, epoch)
            return epoch
        }

        /// Returns the frame of an event about one participant, or nil if this view already knows its content: a
        /// repetition would reveal that the participant did something in a record that the view may not see.
        mutating func news(_ event: PresenceEvent, about person: String) -> [UInt8]? {
            let frame = LiveEvent.presence(event).frame
            let hash = event.left.isEmpty ? frame.hashValue : nil
            if let hash, presence[person] == hash { return nil }
            presence[person] = hash
            return frame
        }
    }

    private struct Listener: Sendable {
        var layer: Int64
        var scope: ViewScope
        var tokenID: String?
        /// Identifies the key that verified the token.
        var signer: String
        /// The clientID of its reader; nil if unknown.
        var client: String?
        var mailbox: ListenerQueue
    }

    /// Clients read lines of up to 2 MB; the changes of a larger transaction must be pulled page by page.
    static let maxFrameBytes = 2_000_000

    /// Keyed by layer, so that a commit finds all views of its layer without hashing them.
    private var groups: [Int64: [ViewScope: Group]] = [:]
    private var listeners: [ListenerID: Listener] = [:]
    private var next: ListenerID = 1
    private let bound: ListenerQueue.Bound

    package init(frames: Int = 512, bytes: Int = 8 << 20) { bound = ListenerQueue.Bound(frames: frames, bytes: bytes) }

    package var listenerCount: Int { listeners.count }
    /// The distinct ids of the tokens in use by listeners.
    package var tokenIDs: [String] { Set(listeners.values.compactMap { $0.tokenID.map(ByteOrdered.init) }).map(\.text) }

    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - layer: the layer's state, now or shortly before. The listener pulls what was committed before this call; later
    ///     commits arrive as events.
    ///   - signer: identifies the key that verified the token.
    ///   - client: the reader's clientID. The changes of its own pushes are left out, because the answers have them.
    package mutating func add(
        _ layer: ServerLayer, scope: ViewScope, tokenID: String?, signer: String = "", client: String? = nil
    ) -> ListenerID {
        let id = next
        next += 1
        groups[layer.id, default: [:]][scope, default: Group(last: layer.head)].members.insert(id)
        listeners[id] = Listener(
            layer: layer.id, scope: scope, tokenID: tokenID, signer: signer, client: client,
            mailbox: ListenerQueue(bound: bound))
        return id
    }

    package mutating func remove(_ id: ListenerID) {
        guard let gone = listeners.removeValue(forKey: id) else { return }
        groups[gone.layer]?[gone.scope]?.members.remove(id)
        guard groups[gone.layer]?[gone.scope]?.members.isEmpty == true else { return }
        groups[gone.layer]?[gone.scope] = nil
        if groups[gone.layer]?.isEmpty == true { groups[gone.layer] = nil }
    }

    package mutating func take(_ id: ListenerID) -> QueuedEvents {
        listeners[id]?.mailbox.take() ?? QueuedEvents(frames: [], end: SessionEvent(.closing))
    }

    /// Queues, for each view, the part of a commit that the view may see. The client that gets it in the answer to its push
    /// gets an event without the changes.
    package mutating func publish(_ commit: Commit) -> Set<ListenerID> {
        guard !commit.isEmpty, var views = groups.removeValue(forKey: commit.layer.id) else { return [] }
        defer { groups[commit.layer.id] = views }
        let revision = commit.layer.head
        var woken: Set<ListenerID> = []
        for place in views.indices {
            let (scope, last) = (views[place].key, views[place].value.last)
            guard revision > last else { continue }
            let items = commit.records.compactMap { record in
                scope.item(record, departures: commit.departures.lazy.filter { $0.id.isExactly(record.id) })
            }
            guard !items.isEmpty else { continue }
            let epoch = views.values[place].epoch(of: commit.layer, scope)
            views.values[place].last = revision
            let event = ChangeEvent(epoch: epoch, revision: revision, previous: last, changes: items)
            let frame = Frame(revision: revision, bytes: LiveEvent.change(event).frame)
            for member in views[place].value.members {
                var frame = frame
                if let client = commit.answered, listeners[member]?.client?.isExactly(client) == true {
                    let event = ChangeEvent(
                        epoch: epoch, revision: revision, previous: last, changes: [], isOmitted: true)
                    frame.bytes = LiveEvent.change(event).frame
                }
                listeners[member]?.mailbox.put(frame, maxBytes: Self.maxFrameBytes)
                woken.insert(member)
            }
        }
        return woken
    }

    /// Queues a participant's current state for every view of a layer that does not know it yet.
    package mutating func tell(
        _ layer: Int64, about person: String, _ event: (ViewScope) -> PresenceEvent
    ) -> Set<ListenerID> {
        guard var views = groups.removeValue(forKey: layer) else { return [] }
        defer { groups[layer] = views }
        var woken: Set<ListenerID> = []
        for place in views.indices {
            let event = event(views[place].key)
            guard let frame = views.values[place].news(event, about: person) else { continue }
            let members = views[place].value.members
            for member in members { listeners[member]?.mailbox.put(frame, about: person) }
            woken.formUnion(members)
        }
        return woken
    }

    /// Queues the full participant list of a listener's layer for that listener.
    package mutating func tell(_ id: ListenerID, everybody event: PresenceEvent) {
        guard let listener = listeners[id] else { return }
        listeners[id]?.mailbox.putEverybody(LiveEvent.presence(event).frame)
        for person in event.people {
            _ = groups[listener.layer]?[listener.scope]?.news(PresenceEvent(people: [person]), about: person.id)
        }
    }

    /// Ends the streams of a layer that was deleted or whose document has another base.
    package mutating func close(layer: Int64, with event: SessionEvent) -> Set<ListenerID> {
        close(listeners.filter { $0.value.layer == layer }.map(\.key), with: event)
    }

    package mutating func revoke(_ tokenIDs: some Sequence<String>) -> Set<ListenerID> {
        let tokenIDs = Set(tokenIDs.map(ByteOrdered.init))
        let ids = listeners.filter { $0.value.tokenID.map { tokenIDs.contains(ByteOrdered($0)) } ?? false }.map(\.key)
        return close(ids, with: SessionEvent(.revoked, reason: "the token was revoked"), dropping: true)
    }

    /// Ends the listeners whose tokens were verified with none of these keys.
    package mutating func revoke(signersExcept signers: Set<String>) -> Set<ListenerID> {
        let ids = listeners.filter { !signers.contains($0.value.signer) }.map(\.key)
        let event = SessionEvent(.revoked, reason: "the key that signed the token was removed")
        return close(ids, with: event, dropping: true)
    }

    package mutating func closeAll(with event: SessionEvent) -> Set<ListenerID> {
        close(Array(listeners.keys), with: event)
    }

    private mutating func close(
        _ ids: [ListenerID], with event: SessionEvent, dropping: Bool = false
    ) -> Set<ListenerID> {
        for id in ids { listeners[id]?.mailbox.close(event, dropping: dropping) }
        return Set(ids)
    }
}
