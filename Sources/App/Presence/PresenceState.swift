import Annotations
import InstantCore
import PageLayout

/// The other participants, who presents, and the presence last sent to them.
struct PresenceState: Equatable, Sendable {
    enum Presenting: Equatable, Sendable {
        case no
        /// The server has not confirmed yet.
        case asked
        case yes
    }

    var people: [LayerPerson] = []
    var presenting = Presenting.no
    /// The presenter, whom the user may follow. Without a connection no participants are known, so the last presenter
    /// is kept.
    var leader: LayerPerson?
    /// Whether this client follows the leader's position.
    var isFollowing = false
    /// The last presenter whom the user followed. If that person presents again, the user follows again, unless the user
    /// has moved in the meantime.
    var former: LayerPerson?
    /// The presence last sent to the others.
    var announced: OwnPresence?
    /// Whether the list of participants is open.
    var isShown = false
}

extension LayerPerson {
    /// Uncleaned.
    var shownName: String { name ?? userID ?? "someone" }

    /// Returns whether this is the same participant, possibly with a new id after a reconnect.
    func isAgain(_ other: LayerPerson) -> Bool {
        id.isExactly(other.id) || (userID.isExactly(other.userID) && name.isExactly(other.name))
    }
}

extension DocumentState {
    /// The user's presence as sent to the others: the page, and the selection only while presenting.
    var ownPresence: OwnPresence {
        let isPresenting = presence.presenting != .no
        let areas = isPresenting ? page.selectedAreas : []
        return OwnPresence(Location(pageIndex: page.index, selection: areas), isPresenting: isPresenting)
    }

    /// The boxes of the leader's selection on the current page.
    var ledSelection: [Rect] {
        presence.leader?.whereabouts.selection.filter { $0.pageIndex == page.index }.flatMap(\.rects) ?? []
    }
}

extension PagePane {
    /// The selection by position.
    fileprivate var selectedAreas: [PageArea] {
        guard let selected, let glyphs else { return [] }
        return carried.map { PageArea(pageIndex: $0.page, rects: $0.rects) }
            + [PageArea(pageIndex: index, rects: glyphs.rects(of: selected))]
    }
}
