import Annotations
import AsyncHTTPClient
import Dispatch
import FoundationEssentials
import Instant
import InstantCore
import NIOCore
import NIOHTTP1

/// The sources of tokens other than the prompt. A source that can be asked again is asked for each new token; one that
/// returns the token just rejected counts as empty.
enum TokenSource: Equatable, Sendable {
    case prompt
    /// Given once, on standard input or in the environment.
    case given(String)
    case file(String)
    /// Run by `/bin/sh -c`; the token is its standard output.
    case command(String)
    /// The customer's own backend; `{document}` and `{layer}` are substituted, the response is `{"jwt":…}`.
    case url(String, headerFile: String?, allowsInsecureHTTP: Bool = false)
    /// The engine that has the person's PDF open; the first token came with it.
    case engine(OwnFileLink, first: String)

    /// - Parameter refused: The token that the server rejected, if any.
    /// - Returns: A token worth trying, or nil when the user has to be prompted.
    func token(refused: String?, document: String?, layer: String?) async throws -> String? {
        let text: String? =
            switch self {
            case .prompt: nil
            case .engine(let link, let first): try refused == nil ? first : await link.token()
            case .given(let token): token
            case .file(let path): try await Self.read(path)
            case .command(let command): try await TokenProgram.token(command)
            case .url(let url, let headerFile, let allowsInsecureHTTP):
                try await Self.fetch(
                    url, headerFile: headerFile, document: document, layer: layer,
                    allowsInsecureHTTP: allowsInsecureHTTP)
            }
        guard let token = text?.trimmed, !token.isEmpty, token != refused else { return nil }
        return token
    }

    /// Whether asking again can return another token.
    var canBeAskedAgain: Bool {
        switch self {
        case .prompt, .given: false
        case .file, .command, .url, .engine: true
        }
    }

    /// How long a command or a pipe may take for a token: a person may have to unlock a keyring.
    static let patience = Duration.seconds(60)

    /// An unreadable file counts as a missing token: scripts expect that status. Waits on a thread of its own: the file may
    /// be a pipe, or on a network.
    static func read(_ path: String, within time: Duration = patience) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        do {
                            let bytes = try PrivateFile.bytes(path, limit: 64 << 10, pipe: time)
                            guard let text = String(validating: bytes, as: UTF8.self) else {
                                throw CommandFailure("\(path) is not UTF-8 text")
                            }
                            return text
                        } catch let failure as CommandFailure {
                            throw CommandFailure(failure.message, .authentication)
                        }
                    })
            }
        }
    }

    /// Asks a backend for a token. The answer is as secret as the header.
    private static func fetch(
        _ template: String, headerFile: String?, document: String?, layer: String?, allowsInsecureHTTP: Bool
    ) async throws -> String {
        let url = template.replacing(scalars: "{document}", with: PercentEncoding.encode(document ?? ""))
            .replacing(scalars: "{layer}", with: PercentEncoding.encode(layer ?? ""))
        let (server, target): (ServerAddress, String)
        do { (server, target) = try ServerAddress.resource(url) } catch {
            throw CommandFailure("the token URL is not an address: \(error)", .usage)
        }
        let recipient = try SecretRecipient.of("the request for a token", at: server, allowsInsecureHTTP)
        var secret: Secret?
        if let headerFile {
            secret = Secret(headerLine: try PrivateFile.read(headerFile).trimmed)
            guard secret != nil else {
                throw CommandFailure(
                    "\(headerFile) must contain one header line such as Authorization: Bearer …", .usage)
            }
        }
        let body: ByteBuffer
        do {
            let response = try await HTTPClients.shared.execute(
                recipient.request(.GET, target, secret), to: recipient, deadline: .now() + .seconds(10))
            if let redirect = response.redirect {
                throw CommandFailure("the token URL returned \(redirect)", .authentication)
            }
            guard response.status == .ok else {
                throw CommandFailure("the token URL returned \(response.status.code)", .authentication)
            }
            body = try await response.body.collect(upTo: 64 << 10)
        } catch let failure as CommandFailure { throw failure } catch {
            throw CommandFailure("the token URL cannot be reached", .unreachable)
        }
        guard let token = tokenMember(Array(body.readableBytesView)) else {
            throw CommandFailure(#"the token URL did not return {"jwt": "…"}"#, .authentication)
        }
        return token
    }
}

extension String {
    /// The text without leading and trailing white space: a file's last newline is not part of a token.
    var trimmed: String {
        String(trimming(scalars: \.properties.isWhitespace))
    }
}

/// Returns the token in `{"jwt": "…"}`; nil for any other input.
func tokenMember(_ bytes: [UInt8]) -> String? {
    (try? JSONReader.parse(bytes))?["jwt"]?.string
}
