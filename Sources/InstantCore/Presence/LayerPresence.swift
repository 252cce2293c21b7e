public import Annotations

/// Who has a layer open besides oneself, and what is told of oneself. A value: a snapshot, compared with `==`.
public struct LayerPresence: Hashable, Sendable {
    /// The others, by name; empty while there is no live connection.
    public var people: [LayerPerson]
    /// What the others are told; nil: nothing. Presenting is over when it says so, whoever ended it.
    public var own: OwnPresence?

    public init(people: [LayerPerson] = [], own: OwnPresence? = nil) {
        self.people = people
        self.own = own
    }

    /// Whom one may follow; nil: nobody, or oneself.
    public var presenter: LayerPerson? { people.first(where: \.isPresenting) }
}

/// Somebody who has the layer open. The same person may be there more than once, on several screens.
public struct LayerPerson: Hashable, Sendable, Identifiable {
    /// Good until they leave.
    public var id: String
    /// nil: anonymous.
    public var userID: String?
    /// The name that their token carries.
    public var name: String?
    /// A record that one may not see is left out of it.
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

/// What others are told of oneself.
public struct OwnPresence: Hashable, Sendable {
    public var whereabouts: Location
    /// Others may follow. One presents at a time: whoever asks second does not.
    public var isPresenting: Bool

    public init(_ whereabouts: Location = Location(), isPresenting: Bool = false) {
        self.whereabouts = whereabouts
        self.isPresenting = isPresenting
    }
}
