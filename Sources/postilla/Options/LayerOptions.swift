import ArgumentParser

/// The layer that a command works on, and its server and token; or a PDF.
struct LayerOptions: ParsableArguments {
    // Option groups lie side by side, not in one another: the checks that ArgumentParser makes in a debug build take five
    // times as long for each level.
    @OptionGroup var server: ServerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var tokens: TokenOptions
    @OptionGroup var choice: LayerChoice

    @Option(
        help: ArgumentHelp(
            "Work on this PDF instead of a layer on a server. Changes are written into it at once.", valueName: "file"),
        completion: .file(extensions: ["pdf"]))
    var pdf: String?

    @Flag(help: "With a PDF: keep changes on this machine; postilla write puts them into the file.")
    var noWrite = false

    init() {}

    /// For a command that works on no PDF.
    init(_ server: ServerOptions, _ data: DataOptions, _ tokens: TokenOptions, _ choice: LayerChoice) {
        (self.server, self.data, self.tokens, self.choice) = (server, data, tokens, choice)
        pdf = nil
        noWrite = false
    }

    var document: String? {
        get { choice.document }
        set { choice.document = newValue }
    }
    var layer: String? {
        get { choice.layer }
        set { choice.layer = newValue }
    }
    var user: String? {
        get { choice.user }
        set { choice.user = newValue }
    }
    var offline: Bool { choice.offline }
    var dataDir: String? { data.dataDir }

    /// The token's source: an option, the profile or the environment.
    func tokenSource() throws -> TokenSource {
        try tokens.source(server.chosenProfile(), allowsInsecureHTTP: server.insecureHttp)
    }
}

/// Selects a layer on a server, and the user.
struct LayerChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Document, if no token names it; also replaces {document} in --token-url.", valueName: "id"))
    var document: String?

    @Option(
        help: ArgumentHelp("Layer, if no token names it; '' is the default layer.", valueName: "name"))
    var layer: String?

    @Option(help: ArgumentHelp("User, if no token names one.", valueName: "id"))
    var user: String?

    @Flag(help: "Use the local copy. Nothing is fetched or sent, and no token is needed.")
    var offline = false
}
