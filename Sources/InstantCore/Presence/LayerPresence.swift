public import Annotations

/// The participants in a layer and the local user's own presence. A snapshot, compared with `==`.
public struct LayerPresence: Hashable, Sendable {
    /// The other participants, by name; empty without a live connection.
    public var people: [LayerPerson]
    /// What the others see of the local user; nil if they see nothing. `isPresenting` turns false when presenting ends
    /// for any reason.
    public var own: OwnPresence?

    public init(people: [LayerPerson] = [], own: OwnPresence? = nil) {
        self.people = people
        self.own = own
    }

    /// The participant to follow; nil if none presents, or the local user does.
    public var presenter: LayerPerson? { people.first(where: \.isPresenting) }
}

/// A participant who has the layer open. A user with several screens appears once for each.
public struct LayerPerson: Hashable, Sendable, Identifiable {
    /// Valid until the participant leaves.
    public var id: String
    /// nil if anonymous.
    public var userID: String?
    /// The name in the participant's token.
    public var name: String?
    /// Excludes records that the local user may not see.
    public var whereabouts: Location
    public var isPresenting: Bool

    public init(
        id: String, userID: String? = nil, name: String? = nil, whereabouts: Location = Location(),
        isPresenting: Bool = false
    ) {
        self.id = id
        self.userID = userID
        self.name = name
        self.whereabouts = whereabouts
        self.isPresenting = isPresenting
    }
}

/// The presence of the local user, as others see it.
public struct OwnPresence: Hashable, Sendable {
    public var whereabouts: Location
    /// Whether others may follow. Only one participant presents at a time; a second request has no effect.
    public var isPresenting: Bool

    public init(_ whereabouts: Location = Location(), isPresenting: Bool = false) {
        self.whereabouts = whereabouts
        self.isPresenting = isPresenting
    }
}
