public import Annotations

/// One entry of the `collaboration_permissions` claim: `<content-type>:<action>:<scope>`
/// (guide: collaboration permissions).
public struct Permission: Hashable, Sendable {
    public enum Action: String, Hashable, Sendable, CaseIterable {
        case view, edit, delete, reply, fill
        case setGroup = "set-group"
    }

    public enum Scope: Hashable, Sendable {
        case all
        /// Records created by the token's user.
        case own
        /// Records created by this user; nil is the null user.
        case createdBy(String?)
        /// Records in this group; nil is the null group.
        case group(String?)

        public static func == (one: Scope, other: Scope) -> Bool {
            switch (one, other) {
            case (.all, .all), (.own, .own): true
            case (.createdBy(let one), .createdBy(let other)), (.group(let one), .group(let other)):
                one.isExactly(other)
            default: false
            }
        }
    }

    public var contentType: ContentType
    public var action: Action
    public var scope: Scope

    public init(_ contentType: ContentType, _ action: Action, _ scope: Scope) {
        self.contentType = contentType
        self.action = action
        self.scope = scope
    }
}

extension Permission: CustomStringConvertible {
    /// The result of reading a claim entry. Only `granted` grants anything; the others are reported.
    public enum Entry: Hashable, Sendable {
        case granted(Permission)
        /// Three parts, but with unknown names.
        case unknown(String)
        /// Not three parts, or a scope without a value.
        case malformed(String)
    }

    /// Reads one entry. The scope may contain any character, even `:` and `=`: only the first two colons and the first
    /// `=` are separators.
    public static func read(_ text: String) -> Entry {
        let parts = text.split(scalar: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return .malformed(text) }
        let known = ["createdBy", "group"]
        if let (name, _) = parts[2].parted(atFirst: "=") {
            guard known.contains(String(name)) else { return .unknown(text) }
        } else if known.contains(String(parts[2])) {
            return .malformed(text)
        }
        guard let type = ContentType(rawValue: String(parts[0])), let action = Action(rawValue: String(parts[1])),
            let scope = Scope(parts[2]), action != .reply || type == .comments
        else { return .unknown(text) }
        return .granted(Permission(type, action, scope))
    }

    /// The entry as written in the claim.
    public var description: String { "\(contentType.rawValue):\(action.rawValue):\(scope)" }

    /// The entry, with what an empty name means.
    package var explained: String {
        switch scope {
        case .group(nil): "\(self) (records without a group)"
        case .createdBy(nil): "\(self) (records without a creator)"
        default: description
        }
    }
}

extension Permission.Scope: CustomStringConvertible {
    init?(_ text: Substring) {
        switch text {
        case "all": self = .all
        case "self": self = .own
        default:
            guard let (kind, value) = text.parted(atFirst: "=") else { return nil }
            let name = value.isEmpty ? nil : String(value)
            switch kind {
            case "createdBy": self = .createdBy(name)
            case "group": self = .group(name)
            default: return nil
            }
        }
    }

    public var description: String {
        switch self {
        case .all: "all"
        case .own: "self"
        case .createdBy(let user): "createdBy=\(user ?? "")"
        case .group(let group): "group=\(group ?? "")"
        }
    }

    func covers(_ subject: Subject, for user: String) -> Bool {
        // Form fields are never judged by who created them, and are in no group here.
        if subject.contentType == .formFields { return self == .all }
        return switch self {
        case .all: true
        case .own: subject.createdBy.isExactly(user)
        case .createdBy(let name): subject.createdBy.isExactly(name)
        case .group(let name): subject.group.isExactly(name)
        }
    }
}
