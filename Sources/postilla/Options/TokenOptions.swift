import ArgumentParser
import Glibc

/// Where the token comes from. Never from an argument: arguments are seen by everybody on the machine.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Read the token from this file, again whenever a new one is needed.", valueName: "file"),
        completion: .file(extensions: ["jwt"]))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("Run this command for a token, again whenever a new one is needed.", valueName: "command"))
    var tokenCommand: String?

    @Option(
        help: ArgumentHelp(
            "Ask this address for a token; {document} and {layer} are filled in, the answer is {\"jwt\": …}.",
            valueName: "url"))
    var tokenUrl: String?

    @Option(help: ArgumentHelp("A file with one header line that the token URL wants.", valueName: "file"))
    var tokenUrlHeaderFile: String?

    @Flag(help: "Read the token from standard input.")
    var tokenStdin = false

    func validate() throws {
        let given = [tokenFile != nil, tokenCommand != nil, tokenUrl != nil, tokenStdin].filter { $0 }.count
        guard given <= 1 else { throw ValidationError("Give one source of tokens only.") }
        guard tokenUrlHeaderFile == nil || tokenUrl != nil else {
            throw ValidationError("--token-url-header-file goes with --token-url.")
        }
    }

    /// The chosen source; the environment last. The variables are taken out of the environment, so that no child
    /// inherits a token.
    func source() throws -> TokenSource {
        let file = Self.take("POSTILLA_TOKEN_FILE")
        let token = Self.take("POSTILLA_TOKEN")
        if let tokenFile { return fileSource(tokenFile) }
        if let tokenCommand { return .command(tokenCommand) }
        if let tokenUrl { return .url(tokenUrl, headerFile: tokenUrlHeaderFile) }
        if tokenStdin {
            guard let line = try StandardInput.shared.line(), !line.trimmed.isEmpty else {
                throw CommandFailure("no token on standard input", .authentication)
            }
            return .given(line.trimmed)
        }
        if let file { return fileSource(file) }
        if let token { return .given(token) }
        return .prompt
    }

    private func fileSource(_ path: String) -> TokenSource {
        if PrivateFile.isReadableByOthers(path) {
            Output.message("postilla: \(path) can be read by other users: chmod 600 it")
        }
        return .file(path)
    }

    private static func take(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        // Not only unset: the text would still stand in /proc/self/environ.
        memset(value, 0, strlen(value))
        unsetenv(name)
        return text.isEmpty ? nil : text
    }
}
