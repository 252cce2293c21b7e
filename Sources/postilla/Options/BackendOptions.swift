import ArgumentParser

/// The server and secret for commands that act as a customer's backend.
struct BackendOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions

    @Option(
        help: ArgumentHelp("File with the backend's secret (or the profile's api-token-file).", valueName: "file"),
        completion: .file())
    var apiTokenFile: String?

    func backend() throws -> Backend {
        guard let file = try apiTokenFile ?? server.chosenProfile()?.apiTokenFile else {
            throw CommandFailure("no secret; use --api-token-file FILE", .usage)
        }
        return try Backend(
            server: try server.serverURL(), secret: try PrivateFile.secret(file, otherwise: .authentication),
            allowsInsecureHTTP: server.insecureHttp, patience: server.patience)
    }
}
