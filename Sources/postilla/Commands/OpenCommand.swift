import ArgumentParser

struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open the layer that a token names, or the library.")

    @Argument(help: ArgumentHelp("The server's address (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @OptionGroup var server: ServerOptions
    @OptionGroup var tokens: TokenOptions
    @OptionGroup var viewer: ViewerFlags

    func run() async throws {
        let source = try tokens.source()
        let address = try server.serverURL(target)
        var options = ViewerOptions(
            start: .server(address), source: source, folders: try Folders(dataDirectory: server.dataDir))
        options.isReadOnly = viewer.readOnly
        options.author = viewer.author
        options.allowsInsecureHTTP = server.insecureHttp
        try await Viewer.run(options)
    }
}

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "The layers on this machine. The same as postilla alone.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var viewer: ViewerFlags

    func run() async throws {
        var options = ViewerOptions(
            start: .library, source: .prompt, folders: try Folders(dataDirectory: server.dataDir))
        options.isReadOnly = viewer.readOnly
        options.author = viewer.author
        options.allowsInsecureHTTP = server.insecureHttp
        try await Viewer.run(options)
    }
}
