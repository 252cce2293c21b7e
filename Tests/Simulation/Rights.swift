import Annotations
import Authorization
import TestSupport

/// The rights that a token's claims grant. They are computed independently of the decision that client and server
/// share, so that an error in that decision is detected.
struct Rights: Hashable {
    var user: String?
    var reads = true
    var writes = true
    /// The entries of `collaboration_permissions`; nil if the claim is absent.
    var rules: [String]?
    /// The default group.
    var group: String?

    func may(_ action: String, _ subject: Subject) -> Bool {
        if subject.contentType == .formFields {
            return action == "view" && rules.map { $0.contains("form-fields:view:all") && user != nil } ?? true
        }
        guard let rules else { return true }
        var scopes = ["all", "createdBy=\(subject.createdBy ?? "")", "group=\(subject.group ?? "")"]
        if subject.createdBy == user { scopes.append("self") }
        return scopes.contains { rules.contains("\(subject.contentType.rawValue):\(action):\($0)") }
    }

    func sees(_ subject: Subject) -> Bool { reads && may("view", subject) }

    /// Whether the token's user may create a record in a group.
    func mayPlace(_ type: ContentType, in target: String?) -> Bool {
        target == group || may("set-group", Subject(type, createdBy: user, group: target))
    }

    /// What the token may view.
    var viewScope: ViewScope { grant(layer: "", expiresAt: Timestamp(milliseconds: 0)).viewScope }

    func mayReply(to root: Subject, isFirst: Bool) -> Bool {
        if isFirst, user != nil, root.createdBy == user { return true }
        return may("reply", Subject(.comments, createdBy: root.createdBy, group: root.group))
    }

    /// Even the first reply to one's own annotation needs the right to reply if it sets a state.
    func mayAdd(_ content: Content, to root: Subject, isFirst: Bool) -> Bool {
        mayReply(to: root, isFirst: isFirst && !Remark.isState(content))
    }

    /// Only the person who set a state may change it.
    func mayChange(_ content: Content, _ subject: Subject) -> Bool {
        may("edit", subject) && (!Remark.isState(content) || (user != nil && subject.createdBy == user))
    }

    func grant(layer: String, expiresAt: Timestamp) -> Grant {
        var general: Set<GeneralPermission> = [.download]
        if reads { general.insert(.readDocument) }
        if writes { general.insert(.write) }
        let permissions = rules.map { rules in
            rules.compactMap { if case .granted(let permission) = Permission.read($0) { permission } else { nil } }
        }
        return Grant(
            documentID: Host.document, layer: layer, userID: user, general: general, collaboration: permissions,
            defaultGroup: group, creatorName: user, expiresAt: expiresAt)
    }
}

extension Rights {
    static let groups: [String?] = [nil, "red", "blue"]

    /// Returns all rights, in the user's default group.
    static func all(_ user: String?, group: String? = nil) -> Rights { Rights(user: user, group: group) }

    static func random(_ user: String?, withRules: Bool, _ dice: inout SeededRandom) -> Rights {
        var rights = Rights(user: user, group: dice.pick(groups))
        rights.writes = !dice.chance(1, of: 6)
        rights.reads = !dice.chance(1, of: 30)
        guard user != nil, withRules, dice.chance(3, of: 4) else { return rights }
        var rules: Set<String> = []
        for type in ["annotations", "comments"] {
            for action in ["view", "view", "edit", "delete", "reply", "set-group"] {
                guard action != "reply" || type == "comments", !dice.chance(1, of: 4) else { continue }
                let scope = dice.pick(["all", "all", "self", "group=red", "group=blue", "group=", "createdBy=ana"])
                rules.insert("\(type):\(action):\(scope)")
            }
        }
        if rules.count % 2 == 0 { rules.insert("form-fields:view:all") }
        if rules.count % 3 == 0 { rules.formUnion(["form-fields:edit:all", "form-fields:view:group="]) }
        rights.rules = rules.sorted()
        return rights
    }
}

/// A token that the server accepts until it expires or is revoked.
struct IssuedToken: Hashable {
    var number: Int
    var rights: Rights
    var grant: Grant
    /// By the server's clock.
    var issuedAt: Timestamp

    /// Its `jti`.
    var name: String { "token-\(number)" }
}
