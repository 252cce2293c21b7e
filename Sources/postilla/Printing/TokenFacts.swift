import Annotations
import Authorization
import SyncProtocol

/// A token's claims for people, as lines with a name and a value.
struct TokenFacts {
    var grant: Grant
    var notBefore: Timestamp?
    var issuedAt: Timestamp?
    var tokenID: String?
    var warnings: [String]

    init(_ claims: Claims) {
        grant = claims.grant
        (notBefore, issuedAt, tokenID) = (claims.notBefore, claims.issuedAt, claims.tokenID)
        warnings = claims.warnings
    }

    /// - Returns: nil if the server could not read the claims.
    init?(_ verdict: TokenVerdict) {
        guard let grant = verdict.grant else { return nil }
        self.grant = grant
        (notBefore, issuedAt, tokenID) = (verdict.notBefore, verdict.issuedAt, verdict.tokenID)
        warnings = verdict.warnings
    }

    /// - Parameters:
    ///   - now: The time by the clock that decides.
    ///   - clock: The name of that clock.
    ///   - inWords: Whether collaboration permissions are summarised, instead of listed as the token has them.
    func lines(now: Timestamp, by clock: String = "this machine's clock", inWords: Bool = false) -> [String] {
        var lines = [
            "document  \(grant.documentID)",
            "layer     \(grant.layer.isEmpty ? "(default)" : grant.layer)",
            "user      \(grant.userID ?? "(anonymous)")",
            "may       " + rights,
            "until     \(grant.expiresAt.iso8601) (\(Self.life(grant.expiresAt - now, by: clock)))",
        ]
        if let name = grant.creatorName { lines.append("author    \(name)") }
        if let group = grant.defaultGroup { lines.append("group     \(group)") }
        if let collaboration = grant.collaboration {
            let entries = inWords ? RecordRights.lines(collaboration) : collaboration.map(\.description)
            lines += (entries.isEmpty ? ["(none)"] : entries).enumerated()
                .map { ($0 == 0 ? "records   " : "          ") + $1 }
        }
        if let moment = notBefore { lines.append("from      \(moment.iso8601)") }
        if let moment = issuedAt { lines.append("issued    \(moment.iso8601)") }
        lines.append("id        \(tokenID ?? "(none; cannot be revoked)")")
        return lines + warnings.map { "warning   \($0)" }
    }

    private var rights: String {
        let words = GeneralPermission.allCases.filter(grant.general.contains).map(\.rawValue)
        return words.isEmpty ? "no permissions" : words.joined(separator: ", ") + (grant.mayWrite ? "" : " (read-only)")
    }

    private static func life(_ milliseconds: Int64, by clock: String) -> String {
        guard milliseconds > 0 else { return "expired by \(clock)" }
        let seconds = milliseconds / 1000
        switch seconds {
        case ..<120: return "\(seconds) s left"
        case ..<7200: return "\(seconds / 60) min left"
        case ..<172_800: return "\(seconds / 3600) h left"
        default: return "\(seconds / 86_400) days left"
        }
    }
}

/// Collaboration permissions in words.
enum RecordRights {
    /// A token may list hundreds of groups.
    private static let maxScopes = 20

    /// Returns one line for each content type and action: `annotations: edit own, group crew`.
    static func lines(_ permissions: [Permission]) -> [String] {
        var lines: [String] = []
        for type in ContentType.allCases {
            for action in Permission.Action.allCases {
                let scopes = permissions.filter { $0.contentType == type && $0.action == action }.map(\.scope)
                guard !scopes.isEmpty else { continue }
                let words = scopes.contains(.all) ? ["all"] : scopes.prefix(maxScopes).map(words)
                let rest = scopes.count - words.count
                let more = rest > 0 && words != ["all"] ? " and \(rest) more" : ""
                lines.append("\(type.rawValue): \(action.rawValue) \(words.joined(separator: ", "))\(more)")
            }
        }
        return lines
    }

    private static func words(_ scope: Permission.Scope) -> String {
        switch scope {
        case .all: "all"
        case .own: "own"
        case .createdBy(let user): user.map { "of user \($0)" } ?? "without a user"
        case .group(let group): group.map { "in group \($0)" } ?? "without a group"
        }
    }
}
