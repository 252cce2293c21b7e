package import Annotations
package import InstantCore

/// An edit that has not arrived: it waits, is kept back, was refused, or someone else was first.
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
    /// Why it is kept or was refused, in words.
    package var reason: String?
    /// The record as it was when this edit was made; nil for a new one.
    package var base: Content?
    /// As this person wants it; nil when they deleted it.
    package var mine: Content?
    /// As the server has it, for a conflict; nil when it was deleted there.
    package var theirs: Content?
    /// Who was first, for a conflict.
    package var theirAuthor: String?

    package init(
        id: Record.ID, action: Action, kind: AnnotationKind, pageIndex: Int? = nil, delivery: DeliveryState,
        since: Timestamp? = nil, reason: String? = nil, base: Content? = nil, mine: Content? = nil,
        theirs: Content? = nil, theirAuthor: String? = nil
    ) {
        self.id = id
        self.action = action
        self.kind = kind
        self.pageIndex = pageIndex
        self.delivery = delivery
        self.since = since
        self.reason = reason
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.theirAuthor = theirAuthor
    }
}

/// What a person decided about a conflict or a refused edit.
package enum Resolution: Hashable, Sendable {
    /// Mine again, on top of theirs.
    case mine
    /// Theirs stays; mine is dropped.
    case theirs
    /// This content, on top of theirs.
    case merged(Content)
}
