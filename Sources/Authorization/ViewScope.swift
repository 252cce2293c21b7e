import Annotations

/// The visible records of a token, as a value that is equal for equal views: listeners with equal view scopes share one
/// encoding of every change, and a cursor is valid within one (layer generation, view scope).
public struct ViewScope: Hashable, Sendable {
    /// nil: every record. Otherwise every record that any of these covers. The action of all is `view`; `self` is replaced
    /// by the user's id.
    public let visible: Set<Permission>?

    init(visible: Set<Permission>?) { self.visible = visible }

    public static let everything = ViewScope(visible: nil)
    public static let nothing = ViewScope(visible: [])

    public func contains(_ subject: Subject) -> Bool {
        guard let visible else { return true }
        if subject.contentType == .formFields { return visible.contains(Permission(.formFields, .view, .all)) }
        // Three look-ups take longer than a few comparisons.
        guard visible.count <= Self.few else {
            func holds(_ scope: Permission.Scope) -> Bool {
                visible.contains(Permission(subject.contentType, .view, scope))
            }
            return holds(.all) || holds(.createdBy(subject.createdBy)) || holds(.group(subject.group))
        }
        return visible.contains {
            guard $0.contentType == subject.contentType else { return false }
            switch $0.scope {
            case .all: return true
            case .own: return false  // never in a scope: replaced by createdBy
            case .createdBy(let user): return subject.createdBy.isExactly(user)
            case .group(let group): return subject.group.isExactly(group)
            }
        }
    }

    private static let few = 16

    /// A text that is the same for equal scopes, in every version: part of the view epoch.
    public var canonicalText: String {
        guard let visible else { return "*" }
        return visible.map(\.description).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
            "\($0.utf8.count):\($0)"
        }.joined()
    }
}

extension Grant {
    public var viewScope: ViewScope {
        guard mayRead else { return .nothing }
        guard let collaboration else { return .everything }
        guard let userID else { return .nothing }
        let views = collaboration.filter {
            $0.action == .view && ($0.contentType != .formFields || $0.scope == .all)
        }.map { permission in
            var permission = permission
            if permission.scope == .own { permission.scope = .createdBy(userID) }
            return permission
        }
        let all = Set(views.filter { $0.scope == .all }.map(\.contentType))
        if all.isSuperset(of: ContentType.allCases) { return .everything }
        return ViewScope(visible: Set(views.filter { $0.scope == .all || !all.contains($0.contentType) }))
    }
}
