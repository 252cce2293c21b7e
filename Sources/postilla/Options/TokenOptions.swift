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

    /// Returns the chosen source: an option, else the profile's, else the environment's.
    ///
    /// - Parameter allowsInsecureHTTP: Whether a token URL may lead to another machine over plain http.
    func source(_ profile: Profile?, allowsInsecureHTTP: Bool) throws -> TokenSource {
        try choice(profile, readingInput: tokenStdin, allowsInsecureHTTP: allowsInsecureHTTP).source
    }

    /// Whether an option names a source other than standard input.
    var namesSource: Bool { [tokenFile, tokenCommand, tokenUrl].contains { $0 != nil } }

    /// The same, with what a person calls the source, such as `POSTILLA_TOKEN_FILE (ana.jwt)`.
    ///
    /// - Parameter readingInput: Whether standard input comes before profile and environment.
    func choice(
        _ profile: Profile?, readingInput: Bool, allowsInsecureHTTP: Bool
    ) throws -> (source: TokenSource, name: String) {
        let (file, token) = Self.inherited
        if let tokenFile { return (fileSource(tokenFile), "--token-file \(tokenFile)") }
        if let tokenCommand { return (.command(tokenCommand), "--token-command") }
        if let tokenUrl {
            let source = TokenSource.url(
                tokenUrl, headerFile: tokenUrlHeaderFile, allowsInsecureHTTP: allowsInsecureHTTP)
            return (source, "--token-url")
        }
        if readingInput {
            guard let line = try StandardInput.shared.line(), !line.trimmed.isEmpty else {
                throw CommandFailure("no token on standard input", .authentication)
            }
            return (.given(line.trimmed), "standard input")
        }
        if let profile, let source = profile.source(allowsInsecureHTTP: allowsInsecureHTTP) {
            let name = "profile \(profile.name)"
            guard case .file(let path) = source else { return (source, name) }
            return (fileSource(path), "\(name) (\(path))")
        }
        if let file { return (fileSource(file), "POSTILLA_TOKEN_FILE (\(file))") }
        if let token { return (.given(token), "POSTILLA_TOKEN") }
        return (.prompt, "the prompt")
    }

    /// The file and the token that the environment names. The first use removes the variables, so that no child inherits
    /// a token: neither the engine, nor an editor, nor a hook.
    static let inherited = (file: take("POSTILLA_TOKEN_FILE"), token: take("POSTILLA_TOKEN"))

    private func fileSource(_ path: String) -> TokenSource {
        if let warning = PrivateFile.warning(ifOpen: path) { Output.warning(warning) }
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
