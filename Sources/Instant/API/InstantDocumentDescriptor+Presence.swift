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
    /// The present state, as far as it is known.
    public var presence: LayerPresence { (try? performer())?.snapshot.presence ?? LayerPresence() }

    /// A stream of the present state and each later one, read when requested: a slow reader misses states in between.
    public var presences: AsyncStream<LayerPresence> {
        let changes = hub.queue(where: \.mayChangePresence, capacity: 1)
        changes.push(.refresh)
        return AsyncStream(
            unfolding: { [weak self] in
                guard let change = await changes.next(), !change.isEnd else { return nil }
                return self?.presence
            }, onCancel: { changes.finish() })
    }

    /// Shows the local user's location to the others, at once and for as long as this descriptor listens
    /// (``startListeningForServerChanges()``) and is connected. It need not be repeated; updates in quick succession
    /// are coalesced. Of a selection, only the first ``Location/maximumRects`` boxes are sent.
    ///
    /// Only one participant presents at a time. If another one already does, ``LayerPresence/own`` turns to not
    /// presenting.
    ///
    /// - Throws: `accessDenied` if the token does not grant `write`, for presenting only.
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

    /// Stops showing the local user to the others. The end of this client does the same.
    public func stopAnnouncing() { (try? performer())?.post(.announced(nil)) }
}

extension InstantEvent {
    fileprivate var isEnd: Bool { if case .didClose = self { true } else { false } }

    fileprivate var mayChangePresence: Bool {
        switch self {
        case .didChangePresence, .refresh, .didClose: true
        default: false
        }
    }
}
