import Authorization
public import InstantCore

/// Presence: the other participants, and what they see of the local user. Nothing is stored; the others are known while
/// this descriptor listens (``startListeningForServerChanges()``).
///
/// ```swift
/// try descriptor.announce(OwnPresence(Location(pageIndex: 3), isPresenting: true))
/// for await presence in descriptor.presences { show(presence.people, following: presence.presenter) }
/// ```
extension InstantDocumentDescriptor {
    /// The current state, as far as it is known.
    public var presence: LayerPresence { (try? performer())?.snapshot.presence ?? LayerPresence() }

    /// A stream of the current state and each later one, read when requested: a slow reader misses the states in
    /// between.
    public var presences: AsyncStream<LayerPresence> {
        let changes = hub.queue(where: \.mayChangePresence, capacity: 1)
        changes.push(.didMissEvents)
        return AsyncStream(
            unfolding: { [weak self] in
                guard let change = await changes.next(), !change.isEnd else { return nil }
                return self?.presence
            }, onCancel: { changes.finish() })
    }

    /// Shows the local user's location to the others, at once and for as long as this descriptor listens
    /// (``startListeningForServerChanges()``) and is connected. It need not be repeated; updates in quick succession
    /// are coalesced. Only the first ``Location/maximumRects`` boxes of a selection are sent.
    ///
    /// Only one participant presents at a time. If another one already does, ``OwnPresence/isPresenting`` of
    /// ``LayerPresence/own`` turns false.
    ///
    /// - Throws: `accessDenied` if presenting and the token does not grant `write`.
    public func announce(_ own: OwnPresence) throws(InstantError) {
        let performer = try performer()
        if own.isPresenting {
            let grant = try InstantError.translating { try performer.layer.metadata().grant }
            guard grant?.mayWrite != false else {
                throw InstantError(.accessDenied, Denial.lacks(.write).description)
            }
        }
        performer.post(.announced(own))
    }

    /// Stops showing the local user to the others. If this client ends without it, they see that some seconds later.
    public func stopAnnouncing() { (try? performer())?.post(.announced(nil)) }

    /// Stops showing the local user to the others, and waits until the server knows that, at most for a second.
    package func sayFarewell() async { await (try? performer())?.sayFarewell() }
}

extension InstantEvent {
    fileprivate var isEnd: Bool { if case .didClose = self { true } else { false } }

    fileprivate var mayChangePresence: Bool {
        switch self {
        case .didChangePresence, .didMissEvents, .didClose: true
        default: false
        }
    }
}
