package import Annotations
package import InstantCore

/// An edit that the server has not accepted: unsent, parked, refused or in conflict.
package struct OutboxItem: Hashable, Sendable, Identifiable {
    package enum Action: String, Hashable, Sendable {
        case create, update, delete
    }

    /// The record's id.
    package var id: Record.ID
    package var action: Action
    package var kind: AnnotationKind
    package var pageIndex: Int?
    package var delivery: DeliveryState
    /// When the edit was made, by the local clock.
    package var since: Timestamp?
    /// Why it is parked or was refused, in words.
    package var reason: String?
    /// Whether it is parked because something between here and the server refuses it, as the reason says.
    package var isAside: Bool
    /// The record as it was when the edit was made; nil for a new one.
    package var base: Content?
    /// The user's version; nil if deleted.
    package var mine: Content?
    /// The server's version, in a conflict; nil if deleted.
    package var theirs: Content?
    /// Who changed the record first, in a conflict.
    package var theirAuthor: String?
    /// The versions that a decision about this applies to.
    package var sides: Conflict.Sides

    package init(
        id: Record.ID, action: Action, kind: AnnotationKind, pageIndex: Int? = nil, delivery: DeliveryState,
        since: Timestamp? = nil, reason: String? = nil, isAside: Bool = false, base: Content? = nil,
        mine: Content? = nil, theirs: Content? = nil, theirAuthor: String? = nil, sides: Conflict.Sides? = nil
    ) {
        self.id = id
        self.action = action
        self.kind = kind
        self.pageIndex = pageIndex
        self.delivery = delivery
        self.since = since
        self.reason = reason
        self.isAside = isAside
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.theirAuthor = theirAuthor
        self.sides = sides ?? Conflict.Sides(mine: mine, theirs: theirs)
    }
}

extension OutboxItem {
    /// The merge of both versions; nil without a conflict.
    var merge: TextMerge? {
        delivery == .conflict ? ConflictCard.merge(base, theirs, mine, theirAuthor) : nil
    }
}

/// The decision about a conflict or a refused edit.
package enum Resolution: Hashable, Sendable {
    /// Apply the user's version on top of theirs.
    case mine
    /// Keep theirs and drop the user's version.
    case theirs
    /// Apply this content on top of theirs.
    case merged(Content)
}
