/// A state that a person gave an annotation (ISO 32000-2, 12.5.6.3). A state is a comment in the annotation's thread,
/// whose text repeats it for programs that show comments only; each change of mind adds another one.
public enum AnnotationState: String, Hashable, Sendable, CaseIterable {
    // The review model.
    case accepted, rejected, cancelled, completed
    /// No state: withdraws an earlier one.
    case unset = "none"
    // The marked model.
    case marked, unmarked

    public enum Model: String, Hashable, Sendable {
        case review, marked
    }

    public var model: Model { self == .marked || self == .unmarked ? .marked : .review }

    /// Whether it settles what the annotation is about.
    public var isResolving: Bool { model == .review && self != .unset }

    /// Reads the entries `State` and `StateModel` of a PDF, or their members in a record, in any case of letters.
    ///
    /// - Returns: nil for an unknown state, or one of another model.
    package init?(state: String?, model: String?) {
        guard let state = state.flatMap({ Self(rawValue: $0.lowercased()) }) else { return nil }
        guard model.map({ $0.lowercased().isExactly(state.model.rawValue) }) ?? true else { return nil }
        self = state
    }

    /// The state as PDF writes it: `Accepted`.
    package var title: String { Self.title(rawValue) }
    /// The model as PDF writes it: `Review`.
    package var modelTitle: String { Self.title(model.rawValue) }

    private static func title(_ name: String) -> String {
        name.prefix(scalars: 1).uppercased() + name.dropFirst(scalars: 1)
    }

    /// Reads the member `postilla` of a comment.
    init?(aside: JSON?) {
        self.init(state: aside?["state"]?.string, model: aside?["stateModel"]?.string)
    }
}

extension Content {
    /// The state that this comment sets; nil for every other content.
    public var state: AnnotationState? { ContentOutline(self).state }

    /// Returns a comment that sets the state of the annotation it stands under.
    public static func state(_ state: AnnotationState, under id: Record.ID, _ root: Content) -> Content {
        comment(.plain(state.title), under: id, root).setting(state)
    }

    /// Returns the comment as one that sets a state.
    package func setting(_ state: AnnotationState) -> Content {
        changing { comment in
            var aside = comment["postilla"]?.object ?? JSONObject()
            aside["state"] = .string(state.rawValue)
            aside["stateModel"] = .string(state.model.rawValue)
            comment["postilla"] = .object(aside)
        }
    }
}

/// The states of one annotation that count: of each person and model the newest.
public struct AnnotationStates: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public var state: AnnotationState
        /// The comment that sets it.
        public var comment: Record
    }

    /// In order of creation.
    public private(set) var entries: [Entry] = []

    /// - Parameter thread: the comments of the annotation in order of creation.
    public init(_ thread: [Record]) {
        for comment in thread {
            guard let state = comment.content.state else { continue }
            let person = Self.person(comment)
            entries.removeAll { $0.state.model == state.model && Self.person($0.comment) == person }
            entries.append(Entry(state: state, comment: comment))
        }
    }

    /// The state that the annotation shows: the newest one of the review model. nil if no one has set one.
    public var review: AnnotationState? { entries.last { $0.state.model == .review }?.state }

    public var isResolved: Bool { review?.isResolving ?? false }

    /// Who set a state: a user, or the name in a record without one.
    private static func person(_ comment: Record) -> [String?] {
        if let user = comment.createdBy { return [user] }
        return [nil, comment.content["creatorName"]?.string]
    }
}
