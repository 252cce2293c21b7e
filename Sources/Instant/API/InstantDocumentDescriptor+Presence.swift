import Authorization
public import InstantCore

/// Who else has this layer open, and what they are told of oneself. Nothing of it is stored anywhere; the others are
/// known while this descriptor listens (``startListeningForServerChanges()``).
///
/// ```swift
/// try descriptor.announce(OwnPresence(Whereabouts(pageIndex: 3), isPresenting: true))
/// for await presence in descriptor.presences { show(presence.people, following: presence.presenter) }
/// ```
extension InstantDocumentDescriptor {
    /// As far as it is known now.
    public var presence: LayerPresence { (try? performer())?.snapshot.presence ?? LayerPresence() }

    /// The present picture and each later one, as it stands when it is asked for: whoever is slow misses those between.
    public var presences: AsyncStream<LayerPresence> {
        let changes = hub.queue(where: \.mayChangePresence, capacity: 1)
        changes.push(.refresh)
        return AsyncStream(
            unfolding: { [weak self] in
                guard let change = await changes.next(), !change.isEnd else { return nil }
                return self?.presence
            }, onCancel: { changes.finish() })
    }

    /// Tells the others where one is, at once and for as long as this descriptor listens
    /// (``startListeningForServerChanges()``) and is connected: this need not be repeated, and what follows closely is
    /// told as one. A selection of more than ``Location/maximumRects`` boxes is told by its first ones.
    ///
    /// One presents at a time. Whoever asks while somebody else does is told by ``LayerPresence/own``, which then says
    /// that one does not.
    ///
    /// - Throws: `accessDenied` when the token does not grant `write`, for presenting only.
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

    /// The others are told that one is gone. They are when this client ends, too.
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
