import Annotations
import ArgumentParser
import Authorization

struct TokenShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the claims of a token from standard input. Nothing is verified.")

    func run() async throws {
        guard let line = try StandardInput.shared.line(), !line.trimmed.isEmpty else {
            throw CommandFailure("no token on standard input; pipe one in", .authentication)
        }
        let claims: Claims
        do { claims = try Claims(token: line.trimmed) } catch { throw CommandFailure("\(error)", .authentication) }
        for line in Self.explain(claims, now: .now) { Output.line(line) }
        Output.message("Decoded only: the signature is not verified.")
    }

    /// Returns one readable line for each claim.
    static func explain(_ claims: Claims, now: Timestamp) -> [String] {
        let grant = claims.grant
        var lines = [
            "document  \(grant.documentID)",
            "layer     \(grant.layer.isEmpty ? "(default)" : grant.layer)",
            "user      \(grant.userID ?? "(anonymous)")",
            "may       " + rights(grant),
            "until     \(grant.expiresAt.iso8601) (\(life(grant.expiresAt - now)))",
        ]
        if let name = grant.creatorName { lines.append("author    \(name)") }
        if let group = grant.defaultGroup { lines.append("group     \(group)") }
        if let collaboration = grant.collaboration {
            let entries = collaboration.isEmpty ? ["(none)"] : collaboration.map(\.description)
            lines += entries.enumerated().map { ($0 == 0 ? "records   " : "          ") + $1 }
        }
        if let moment = claims.notBefore { lines.append("from      \(moment.iso8601)") }
        if let moment = claims.issuedAt { lines.append("issued    \(moment.iso8601)") }
        lines.append("id        \(claims.tokenID ?? "(none; cannot be revoked)")")
        return lines + claims.warnings.map { "warning   \($0)" }
    }

    private static func rights(_ grant: Grant) -> String {
        let words = GeneralPermission.allCases.filter(grant.general.contains).map(\.rawValue)
        return words.isEmpty ? "no permissions" : words.joined(separator: ", ") + (grant.mayWrite ? "" : " (read-only)")
    }

    private static func life(_ milliseconds: Int64) -> String {
        guard milliseconds > 0 else { return "expired according to this machine's clock" }
        let seconds = milliseconds / 1000
        switch seconds {
        case ..<120: return "\(seconds) s left"
        case ..<7200: return "\(seconds / 60) min left"
        case ..<172_800: return "\(seconds / 3600) h left"
        default: return "\(seconds / 86_400) days left"
        }
    }
}
