import ArgumentParser

/// The layer that a command works on, and its server and token.
struct LayerOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions
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

    @Option(
        help: ArgumentHelp(
            "Work on this PDF instead of a layer on a server. Changes are written into it at once.", valueName: "file"),
        completion: .file(extensions: ["pdf"]))
    var pdf: String?

    @Flag(help: "With a PDF: keep changes on this machine; postilla write puts them into the file.")
    var noWrite = false

    @Flag(help: "Use the local copy. Nothing is fetched or sent, and no token is needed.")
    var offline = false
}
