import ArgumentParser

/// The layer that a command works on, and its server and token; or a PDF.
struct LayerOptions: ParsableArguments {
    @OptionGroup var onServer: ServerLayerOptions

    @Option(
        help: ArgumentHelp(
            "Work on this PDF instead of a layer on a server. Changes are written into it at once.", valueName: "file"),
        completion: .file(extensions: ["pdf"]))
    var pdf: String?

    @Flag(help: "With a PDF: keep changes on this machine; postilla write puts them into the file.")
    var noWrite = false

    init() {}

    /// For a command that works on no PDF.
    init(_ onServer: ServerLayerOptions) {
        self.onServer = onServer
        pdf = nil
        noWrite = false
    }

    var server: ServerOptions {
        get { onServer.server }
        set { onServer.server = newValue }
    }
    var tokens: TokenOptions { onServer.tokens }
    var document: String? {
        get { onServer.document }
        set { onServer.document = newValue }
    }
    var layer: String? {
        get { onServer.layer }
        set { onServer.layer = newValue }
    }
    var user: String? {
        get { onServer.user }
        set { onServer.user = newValue }
    }
    var offline: Bool { onServer.offline }
    var dataDir: String? { onServer.data.dataDir }

    /// The token's source: an option, the profile or the environment.
    func tokenSource() throws -> TokenSource {
        try tokens.source(server.chosenProfile(), allowsInsecureHTTP: server.insecureHttp)
    }
}

/// A layer on a server.
struct ServerLayerOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var tokens: TokenOptions

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
