import Annotations
import Authorization
import TestSupport

/// What a token allows, in the words of its claims, and whether something is allowed, worked out from these words a
/// second time: apart from the decision that client and server share, so that an error in that one is seen.
struct Rights: Hashable {
    var user: String?
    var reads = true
    var writes = true
    /// Entries of `collaboration_permissions`; nil: the claim is absent.
    var rules: [String]?
    /// The default group.
    var group: String?

    func may(_ action: String, _ subject: Subject) -> Bool {
        guard let rules else { return true }
        var scopes = ["all", "createdBy=\(subject.createdBy ?? "")", "group=\(subject.group ?? "")"]
        if subject.createdBy == user { scopes.append("self") }
        return scopes.contains { rules.contains("\(subject.contentType.rawValue):\(action):\($0)") }
    }

    func sees(_ subject: Subject) -> Bool { reads && may("view", subject) }

    /// A new record of this bearer in a group.
    func mayPlace(_ type: ContentType, in target: String?) -> Bool {
        target == group || may("set-group", Subject(type, createdBy: user, group: target))
    }

    func mayReply(to root: Subject, isFirst: Bool) -> Bool {
        if isFirst, user != nil, root.createdBy == user { return true }
        return may("reply", Subject(.comments, createdBy: root.createdBy, group: root.group))
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

    /// Everything, in the user's default group.
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
        rights.rules = rules.sorted()
        return rights
    }
}

/// A token the server would take, until its time is over or it is revoked.
struct IssuedToken: Hashable {
    var number: Int
    var rights: Rights
    var grant: Grant
    /// By the server's clock.
    var issuedAt: Timestamp

    /// Its `jti`.
    var name: String { "token-\(number)" }
}
