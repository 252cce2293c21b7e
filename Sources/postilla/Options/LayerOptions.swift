import ArgumentParser

/// Which layer a command is about, and how it comes to it.
struct LayerOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions
    @OptionGroup var tokens: TokenOptions

    @Option(
        help: ArgumentHelp(
            "The document, where no token names it; also {document} of --token-url.", valueName: "id"))
    var document: String?

    @Option(
        help: ArgumentHelp("The layer, where no token names it; '' is the default one.", valueName: "name"))
    var layer: String?

    @Option(help: ArgumentHelp("The user, where no token names one.", valueName: "id"))
    var user: String?

    @Flag(help: "Use the copy on this machine: nothing is fetched or sent, and no token is needed.")
    var offline = false
}
