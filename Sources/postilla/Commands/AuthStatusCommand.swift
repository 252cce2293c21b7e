import Annotations
import ArgumentParser
import Authorization
import FoundationEssentials
import Instant
import Screen
import SyncProtocol

struct AuthStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say which server and token the commands use, and whether it accepts it.",
        discussion: """
            Names the server, where its address and the token come from, and the server's verdict. Never prints the \
            token. --all asks for each profile of config.toml; json and ndjson print \
            {"profile","server","source","accepted","reason","document","layer","user","until"}.

            Exit codes: 0 accepted, 3 refused or no token, 5 server unreachable; with --all, the first that is not 0.

            Examples:
              postilla auth status --profile work
              postilla auth status --all
            """)

    @Flag(help: "Ask for each profile of config.toml.")
    var all = false

    @OptionGroup var listing: ListingOptions
    @OptionGroup var server: ServerOptions
    @OptionGroup var tokens: TokenOptions

    func validate() throws {
        if all, server.profile != nil { throw ValidationError("Use either --all or --profile, not both.") }
    }

    func run() async throws {
        var listing = try Listing(
            listing,
            [
                .init("profile", 12), .init("server", 28), .init("accepted", 8), .init("document", 20),
                .init("layer", 12), .init("user", 10), .init("until", .moment), .init("source", .rest),
                .init("reason", .note),
            ], members: [])
        var failure: CommandFailure?
        let isOne = !all
        for status in try await statuses() {
            if isOne, listing.format == .table {
                for line in status.lines { Output.line(line) }
            } else {
                listing.add(status.fields, style: status.failure == nil ? .plain : .trouble) { status.json }
            }
            failure = failure ?? status.failure
        }
        if !isOne || listing.format != .table { listing.end(nothing: "no profiles in config.toml") }
        if let failure { throw isOne ? failure : CommandFailure("some tokens cannot be used", failure.status) }
    }

    private func statuses() async throws -> [AuthStatus] {
        guard all else {
            let profile = try server.chosenProfile()
            return [
                await AuthStatus.ask(
                    profile: profile?.name, server: try server.serverURL(),
                    source: try tokens.source(profile, allowsInsecureHTTP: server.insecureHttp),
                    allowsInsecureHTTP: server.insecureHttp)
            ]
        }
        var all: [AuthStatus] = []
        for profile in try Preferences.use().profiles.values.sorted(by: { $0.name < $1.name }) {
            guard let address = profile.server,
                let source = profile.source(allowsInsecureHTTP: server.insecureHttp)
            else { continue }
            all.append(
                await AuthStatus.ask(
                    profile: profile.name, server: try ServerOptions.checked(address), source: source,
                    allowsInsecureHTTP: server.insecureHttp))
        }
        return all
    }
}

/// A server, a source of tokens, and what became of its token.
private struct AuthStatus {
    var profile: String?
    var server: String
    var source: String
    var verdict: TokenVerdict?
    var failure: CommandFailure?

    static func ask(
        profile: String?, server: String, source: TokenSource, allowsInsecureHTTP: Bool
    ) async -> AuthStatus {
        var status = AuthStatus(profile: profile, server: server, source: source.words)
        do {
            guard let token = try await source.token(refused: nil, document: nil, layer: nil) else {
                throw CommandFailure("no token; use --token-file, --profile or POSTILLA_TOKEN_FILE", .authentication)
            }
            do { try Claims.checkShape(of: token) } catch { throw CommandFailure("\(error)", .authentication) }
            guard let url = URL(string: server) else { throw CommandFailure("\(server) is not a URL", .usage) }
            let verdict: TokenVerdict
            do throws(InstantError) {
                verdict = try await InstantClient.verdict(
                    onJWT: token, serverURL: url, allowsInsecureHTTP: allowsInsecureHTTP)
            } catch { throw CommandFailure(error) }
            status.verdict = verdict
            if let refusal = verdict.refusal {
                throw CommandFailure("\(server) refuses the token: \(refusal.description)", .authentication)
            }
        } catch let failure as CommandFailure { status.failure = failure } catch {
            status.failure = CommandFailure("\(error)")
        }
        return status
    }

    var lines: [String] {
        var lines = ["server    \(server)", "token     \(source)"]
        if let profile { lines.insert("profile   \(profile)", at: 0) }
        guard let verdict else { return lines }
        lines.append("accepted  " + (verdict.refusal.map { "no, \($0.reason)" } ?? "yes"))
        guard let now = verdict.now, let facts = TokenFacts(verdict) else { return lines }
        return lines + facts.lines(now: now, by: "the server's clock", inWords: true)
    }

    private var accepted: String { verdict.map { $0.isAccepted ? "yes" : "no" } ?? "" }
    private var reason: String { verdict?.refusal?.reason ?? failure?.message ?? "" }

    var fields: [String] {
        let grant = verdict?.grant
        return [
            profile ?? "", server, accepted, grant?.documentID ?? "", grant?.layer ?? "", grant?.userID ?? "",
            grant?.expiresAt.iso8601 ?? "", source, reason,
        ]
    }

    var json: String {
        JSONWriter.text {
            let grant = verdict?.grant
            $0.member("profile", orNull: profile)
            $0.member("server", server)
            $0.member("source", source)
            $0.member("accepted", verdict.map { .bool($0.isAccepted) } ?? JSON.null)
            $0.member("reason", orNull: reason.isEmpty ? nil : reason)
            $0.member("document", orNull: grant?.documentID)
            $0.member("layer", orNull: grant?.layer)
            $0.member("user", orNull: grant?.userID)
            $0.member("until", orNull: grant?.expiresAt.iso8601)
        }
    }
}

extension TokenSource {
    /// The source for people, without the token.
    fileprivate var words: String {
        switch self {
        case .prompt: "none"
        case .given: "standard input or POSTILLA_TOKEN"
        case .file(let path): "file \(path)"
        case .command(let command): "command \(command)"
        // Its query may hold a secret.
        case .url(let url, _, _): "URL \(url.prefix { $0 != "?" })"
        case .engine: "the engine"
        }
    }
}
