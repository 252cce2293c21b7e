import Annotations
import InstantCore
import PageLayout

/// Who else has the layer open, who of them presents, and what they are told of this person.
struct PresenceState: Equatable, Sendable {
    enum Presenting: Equatable, Sendable {
        case no
        /// The server has not said yet that nobody else does.
        case asked
        case yes
    }

    var people: [LayerPerson] = []
    var presenting = Presenting.no
    /// Whom one may follow. While the connection is away nobody is known, and who presented last is kept.
    var leader: LayerPerson?
    /// Where the leader goes, this person goes.
    var isFollowing = false
    /// What the others were told last.
    var announced: OwnPresence?
    /// The list of everybody here is open.
    var isShown = false

    /// `ana +1`: the presenter or the first by name, and how many more; then only how many.
    var shortForms: [String] {
        guard let first = people.first(where: \.isPresenting) ?? people.first else { return [] }
        let more = people.count > 1 ? " +\(people.count - 1)" : ""
        return [first.shownName + more, "+\(people.count)"]
    }
}

extension LayerPerson {
    /// Uncleaned.
    var shownName: String { name ?? userID ?? "somebody" }

    /// Whether this is who was known under another id before the connection was lost.
    func isAgain(_ other: LayerPerson) -> Bool {
        id.isExactly(other.id) || (userID.isExactly(other.userID) && name.isExactly(other.name))
    }
}

extension DocumentState {
    /// Where this person is, as the others are told: the page; the selected words only while presenting.
    var ownPresence: OwnPresence {
        let isPresenting = presence.presenting != .no
        let areas = isPresenting ? page.selectedAreas : []
        return OwnPresence(Location(pageIndex: page.index, selection: areas), isPresenting: isPresenting)
    }

    /// The boxes of the leader's selection on the page that is shown.
    var ledSelection: [Rect] {
        presence.leader?.whereabouts.selection.filter { $0.pageIndex == page.index }.flatMap(\.rects) ?? []
    }
}

extension PagePane {
    /// What is selected, by position.
    fileprivate var selectedAreas: [PageArea] {
        guard let selected, let glyphs else { return [] }
        return carried.map { PageArea(pageIndex: $0.page, rects: $0.rects) }
            + [PageArea(pageIndex: index, rects: glyphs.rects(of: selected))]
    }
}
