import ArgumentParser
import Glibc

/// The source of the token. It is never an argument: all users of the machine can see arguments.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the token from this file; reread it whenever a new token is needed.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Run this command to get a token; rerun it whenever a new token is needed.", valueName: "command"))
    var tokenCommand: String?

    @Option(
        help: ArgumentHelp(
            """
            Request a token from this URL, in which {document} and {layer} are filled in; the response must be \
            {"jwt": …}.
            """,
            valueName: "url"))
    var tokenUrl: String?

    @Option(help: ArgumentHelp("File with one header line for the token URL.", valueName: "file"), completion: .file())
    var tokenUrlHeaderFile: String?

    @Flag(help: "Read the token from standard input.")
    var tokenStdin = false

    func validate() throws {
        let given = [tokenFile != nil, tokenCommand != nil, tokenUrl != nil, tokenStdin].filter { $0 }.count
        guard given <= 1 else { throw ValidationError("Use only one source of tokens.") }
        guard tokenUrlHeaderFile == nil || tokenUrl != nil else {
            throw ValidationError("--token-url-header-file needs --token-url.")
        }
    }

    /// Returns the chosen source; the environment comes last. The variables are removed from the environment, so that
    /// no child inherits a token.
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
        if let warning = PrivateFile.warning(ifOpen: path) { Output.message("postilla: " + warning) }
        return .file(path)
    }

    private static func take(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        // Unsetting is not enough: the text would remain in /proc/self/environ.
        memset(value, 0, strlen(value))
        unsetenv(name)
        return text.isEmpty ? nil : text
    }
}
