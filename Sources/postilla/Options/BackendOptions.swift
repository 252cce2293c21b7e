import ArgumentParser

/// The server and secret for commands that act as a customer's backend.
struct BackendOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("File with the backend's secret.", valueName: "file"), completion: .file())
    var apiTokenFile: String

    func backend() throws -> Backend {
        Backend(
            server: try server.serverURL(), secret: try PrivateFile.secret(apiTokenFile, otherwise: .authentication))
    }
}
