public import Annotations

/// The properties of a record on which a decision depends.
public struct Subject: Hashable, Sendable {
    public var contentType: ContentType
    public var createdBy: String?
    public var group: String?

    public init(_ contentType: ContentType, createdBy: String?, group: String?) {
        self.contentType = contentType
        self.createdBy = createdBy
        self.group = group
    }

    public init(_ record: Record) {
        self.init(record.contentType, createdBy: record.createdBy, group: record.group)
    }

    /// Compared by bytes: visibility depends on whether a record left its group.
    public static func == (one: Subject, other: Subject) -> Bool {
        one.contentType == other.contentType && one.createdBy.isExactly(other.createdBy)
            && one.group.isExactly(other.group)
    }
}

/// An operation on a record that needs a decision.
public enum Operation: Hashable, Sendable {
    case view(Subject)
    case edit(Subject)
    case delete(Subject)
    /// A change of a comment that sets a state.
    case editState(Subject)
    /// A new annotation in this group; nil is the null group.
    case createAnnotation(group: String?)
    /// A new comment in this group under this root. `first`: the thread has no comments yet.
    case createComment(root: Subject, first: Bool, group: String?)
    /// A new comment in this group that sets the state of this root.
    case setState(root: Subject, group: String?)
    /// A move of an existing record to another group.
    case move(Subject, to: String?)
}

extension Operation {
    /// An edit of this record.
    package static func editing(_ record: Record) -> Operation {
        record.content.state == nil ? .edit(Subject(record)) : .editState(Subject(record))
    }
}

public enum Decision: Hashable, Sendable {
    case allowed
    case denied(Denial)

    public var isAllowed: Bool { self == .allowed }
}

/// The reason why an operation is denied, as text for a status line: `read-only: this token lacks "write"`.
public enum Denial: Hashable, Sendable, CustomStringConvertible {
    /// The general permission is missing.
    case lacks(GeneralPermission)
    /// No collaboration permission covers the operation; any of these would.
    case needs([Permission])
    /// Form fields are not filled here, whatever the token grants.
    case formField
    /// A state belongs to the person who set it, whatever the token allows.
    case stateOfAnother

    public var description: String {
        switch self {
        case .lacks(.write): #"read-only: this token lacks "write""#
        case .lacks(let permission): #"this token lacks "\#(permission.rawValue)""#
        case .needs(let permissions): "needs " + permissions.map(\.explained).joined(separator: " or ")
        case .formField: "form fields cannot be changed here"
        case .stateOfAnother: "only the person who set a state can change it; set your own"
        }
    }
}

extension Grant {
    /// Decides for client and server: general permissions first, then, if the token has the collaboration claim, record
    /// by record. Denies by default; grants add up, nothing subtracts (guide: collaboration permissions).
    ///
    /// Pure: no clock. Whether the token is still valid is not checked here.
    public func decide(_ operation: Operation) -> Decision {
        guard mayRead else { return .denied(.lacks(.readDocument)) }
        if case .view(let subject) = operation { return decide(.view, subject) }
        guard mayWrite else { return .denied(.lacks(.write)) }
        switch operation {
        case .edit(let subject) where subject.contentType == .formFields: return .denied(.formField)
        case .delete(let subject) where subject.contentType == .formFields: return .denied(.formField)
        case .move(let subject, _) where subject.contentType == .formFields: return .denied(.formField)
        case .view(let subject): return decide(.view, subject)
        case .edit(let subject): return decide(.edit, subject)
        case .delete(let subject): return decide(.delete, subject)
        case .editState(let subject):
            let edit = decide(.edit, subject)
            return edit.isAllowed && !isOwn(subject) ? .denied(.stateOfAnother) : edit
        case .createAnnotation(let group): return decideGroup(.annotations, group)
        case .createComment(let root, let first, let group):
            if first, isOwn(root) { return decideGroup(.comments, group) }
            return decideReply(root, group)
        case .setState(let root, let group): return decideReply(root, group)
        case .move(let subject, let group):
            let edit = decide(.edit, subject)
            guard edit.isAllowed else { return edit }
            return decideMove(subject, to: group)
        }
    }

    /// Whether the token may view the record; other records never leave the server.
    public func canView(_ subject: Subject) -> Bool { decide(.view(subject)).isAllowed }

    /// Returns why the user would not see a new record in this group; nil if they would. Creating needs no permission
    /// to view: the record would disappear from the user's sight as soon as the server has it.
    package func viewDenial(ofNew type: ContentType, in group: String?) -> Denial? {
        guard case .denied(let denial) = decide(.view, Subject(type, createdBy: userID, group: group.orNull)) else {
            return nil
        }
        return denial
    }

    private func decide(_ action: Permission.Action, _ subject: Subject) -> Decision {
        guard let collaboration else { return .allowed }
        let granted = collaboration.contains {
            $0.contentType == subject.contentType && $0.action == action && covers($0.scope, subject)
        }
        return granted ? .allowed : .denied(.needs(wouldAllow(action, subject)))
    }

    private func decideReply(_ root: Subject, _ group: String?) -> Decision {
        var root = root
        root.contentType = .comments
        let reply = decide(.reply, root)
        return reply.isAllowed ? decideGroup(.comments, group) : reply
    }

    /// Decides whether a new record may be in a group other than the default. No record exists yet, so `self` and
    /// `createdBy` match its future creator.
    private func decideGroup(_ type: ContentType, _ group: String?) -> Decision {
        guard collaboration != nil, !group.orNull.isExactly(defaultGroup) else { return .allowed }
        return decideMove(Subject(type, createdBy: userID, group: nil), to: group)
    }

    /// Decides on a move: `all` and `group=` refer to the target group, `self` and `createdBy` to the record.
    private func decideMove(_ subject: Subject, to group: String?) -> Decision {
        var target = subject
        target.group = group.orNull
        return decide(.setGroup, target)
    }

    private func covers(_ scope: Permission.Scope, _ subject: Subject) -> Bool {
        guard let userID else { return false }
        return scope.covers(subject, for: userID)
    }

    private func isOwn(_ subject: Subject) -> Bool { userID != nil && subject.createdBy.isExactly(userID) }

    /// Returns the narrowest entries that would have allowed the action.
    private func wouldAllow(_ action: Permission.Action, _ subject: Subject) -> [Permission] {
        let scope: Permission.Scope =
            subject.contentType == .formFields
            ? .all
            : isOwn(subject) && action != .setGroup ? .own : .group(subject.group)
        return [Permission(subject.contentType, action, scope)]
    }
}

extension String? {
    /// An empty name means the null user or group, as `group=` does in an entry: otherwise no entry could name it.
    package var orNull: String? { self?.isEmpty == true ? nil : self }
}
