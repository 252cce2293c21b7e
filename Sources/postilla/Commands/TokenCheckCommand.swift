import Annotations
import ArgumentParser
import Authorization
import FoundationEssentials
import Instant
import Screen
import SyncProtocol

struct TokenCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask a server whether it accepts a token, and why not.",
        discussion: """
            Prints the server's verdict: the key that verifies the token, its rights and times by the server's clock, \
            and warnings. The token comes from an option, else from standard input if something is there, else from the \
            profile or the environment, else it is asked for; the verdict names the source. json and ndjson print one \
            object {"accepted","reason","description","now","key","grant","warnings","clock_difference","source"}; \
            times and the difference to this machine's clock are in milliseconds. Exits with 3 if the server refuses \
            the token.

            Examples:
              postilla token check https://docs.example < review.jwt
              postilla token check --token-file review.jwt --format json | jq .warnings
            """)

    @Argument(help: ArgumentHelp("Address of the server (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @Option(help: "Output format: table, json, ndjson or tsv.")
    var format = OutputFormat.table

    @OptionGroup var server: ServerOptions
    @OptionGroup var tokens: TokenOptions

    func run() async throws {
        let address = try server.serverURL(target)
        let (token, source) = try await token()
        guard let url = URL(string: address) else { throw CommandFailure("\(address) is not a URL", .usage) }
        let start = Timestamp.now
        let verdict: TokenVerdict
        do throws(InstantError) {
            verdict = try await InstantClient.verdict(
                onJWT: token, serverURL: url, allowsInsecureHTTP: server.insecureHttp)
        } catch { throw CommandFailure(error) }
        // The server read its clock about halfway through the request.
        let here = start + (Timestamp.now - start) / 2
        let report = TokenReport(
            verdict: verdict, source: source, clockDifference: verdict.now.map { $0 - here })
        switch format {
        case .table: for line in report.lines { Output.line(line) }
        case .json, .ndjson: Output.json(report.json)
        case .tsv: for line in report.rows { Output.line(line) }
        }
        if let refusal = verdict.refusal {
            throw CommandFailure("\(address) refuses the token: \(refusal.description)", .authentication)
        }
    }

    /// How long a program at the other end of a pipe has for its first byte, if there is another source.
    private static let patience: Int32 = 5000

    /// - Returns: The token, and what a person calls its source.
    private func token() async throws -> (String, source: String) {
        let profile = try server.chosenProfile()
        let (source, name) = try tokens.choice(
            profile, readingInput: try readsInput(), allowsInsecureHTTP: server.insecureHttp)
        let given: String?
        if source == .prompt {
            given = StandardInput.isTerminal ? try Self.ask() : nil
        } else {
            given = try await source.token(refused: nil, document: nil, layer: nil)
        }
        guard let token = given, !token.isEmpty else {
            throw CommandFailure(
                source == .prompt ? "no token; pipe one in or use --token-file" : "no token from \(name)",
                .authentication)
        }
        // Other text does not leave this machine.
        do { try Claims.checkShape(of: token) } catch { throw CommandFailure("\(name): \(error)", .authentication) }
        return (token, name)
    }

    /// Whether the token is on standard input: named, or nothing else is and there are bytes. A verdict on another token
    /// than the one piped in would mislead.
    private func readsInput() throws -> Bool {
        if tokens.tokenStdin { return true }
        if StandardInput.isTerminal { return false }
        if tokens.namesSource {
            guard !StandardInput.shared.hasBytes(waiting: 0) else {
                throw CommandFailure(
                    "there are two tokens: an option names one, and standard input has bytes; leave out the option, or add < /dev/null",
                    .usage)
            }
            return false
        }
        return StandardInput.shared.hasBytes(waiting: Self.patience)
    }

    private static func ask() throws -> String? {
        let terminal = PlainTerminal()
        terminal.hideInput(true)
        Output.prompt("Token (hidden): ")
        let line = try StandardInput.shared.line()
        // A terminal in line mode cuts longer lines.
        guard (line?.utf8.count ?? 0) < 4095 else {
            throw CommandFailure("the terminal cuts lines of more than 4,095 bytes; use --token-file", .authentication)
        }
        return line?.trimmed
    }
}

/// A server's verdict in the formats of a command.
private struct TokenReport {
    let verdict: TokenVerdict
    /// Where the token came from, as a person calls it.
    let source: String
    /// The server's clock minus this machine's, in milliseconds; nil if the server did not send its own.
    let clockDifference: Int64?

    var lines: [String] {
        var lines = ["accepted  " + (verdict.refusal.map { "no, \($0.reason)" } ?? "yes")]
        lines.append("from      \(source)")
        lines.append(
            "key       " + (verdict.key.map { "\($0.algorithm), SHA-256 \($0.sha256)" } ?? "none of the server's"))
        if let clockDifference { lines.append("clock     " + Self.words(clockDifference)) }
        guard let now = verdict.now, let facts = TokenFacts(verdict) else {
            return lines + verdict.warnings.map { "warning   \($0)" }
        }
        return lines + facts.lines(now: now, by: "the server's clock", inWords: true)
    }

    private static func words(_ difference: Int64) -> String {
        // Smaller differences cannot be told from the time that the request took.
        let seconds = (Double(difference.magnitude) / 1000).rounded()
        guard seconds >= 2 else { return "the server's agrees with this machine's" }
        return "the server's is \(Int64(seconds)) s \(difference > 0 ? "ahead of" : "behind") this machine's"
    }

    var json: String {
        guard let object = (try? JSONReader.parse(verdict.bytes))?.object else { return "{}" }
        var report = object
        report["source"] = .string(source)
        report["clock_difference"] = clockDifference.map { .number(JSONNumber($0)) }
        return JSON.object(report).text
    }

    var rows: [String] {
        let fields = [
            ("accepted", "\(verdict.isAccepted)"), ("reason", verdict.refusal?.reason ?? ""),
            ("key", verdict.key?.sha256 ?? ""), ("document", verdict.grant?.documentID ?? ""),
            ("layer", verdict.grant?.layer ?? ""), ("user", verdict.grant?.userID ?? ""),
            ("until", verdict.grant?.expiresAt.iso8601 ?? ""), ("source", source),
        ]
        return [
            fields.map(\.0).joined(separator: "\t"),
            fields.map { PrintableText(cell: $0.1).string }.joined(separator: "\t"),
        ]
    }
}
