import Annotations
import ArgumentParser
import FoundationEssentials

struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open the layer named by a token, or a PDF.")

    @Argument(
        help: ArgumentHelp(
            "Address of the server (or --server, POSTILLA_SERVER), or a PDF.", valueName: "server|file"),
        completion: .file())
    var target: String?

    @OptionGroup var server: ServerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var tokens: TokenOptions
    @OptionGroup var viewer: ViewerFlags

    func run() async throws {
        let source = try tokens.source(server.chosenProfile(), allowsInsecureHTTP: server.insecureHttp)
        var options = ViewerOptions(
            start: try start(), source: source, folders: try Folders(dataDirectory: data.dataDir))
        try viewer.apply(to: &options)
        options.allowsInsecureHTTP = server.insecureHttp
        if viewer.isPrivate { try PrivateSession.check(log: server.log) }
        options.log = try server.debugLog()
        try await Viewer.run(options)
    }

    /// An argument with a scheme is a server; any other names a file.
    private func start() throws -> ViewerOptions.Start {
        guard let target, !target.contains(scalars: "://") else {
            guard let address = try server.serverIfGiven(target) else {
                throw CommandFailure(
                    "nothing to open; name a PDF or the address of a server, or use --server URL, --profile NAME or "
                        + "POSTILLA_SERVER", .usage)
            }
            return .server(address)
        }
        guard FileManager.default.isReadableFile(atPath: target) else {
            throw CommandFailure(
                "\(target.onOneLine) is neither a readable file nor an address such as http://127.0.0.1:5000", .usage)
        }
        return .file(target)
    }
}

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "Open the library of layers on this machine (the default).")

    @OptionGroup var server: ServerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var viewer: ViewerFlags

    /// Arguments that match no other command.
    @Argument(help: .hidden) var words: [String] = []

    func run() async throws {
        if let word = words.first {
            let nearest = CommandNames.nearest(to: word).map { " Did you mean \($0)?" } ?? ""
            throw CommandFailure("unknown command: \(word).\(nearest) See postilla --help", .usage)
        }
        var options = ViewerOptions(
            start: .library, source: .prompt, folders: try Folders(dataDirectory: data.dataDir))
        try viewer.apply(to: &options)
        options.allowsInsecureHTTP = server.insecureHttp
        if viewer.isPrivate { try PrivateSession.check(log: server.log) }
        options.log = try server.debugLog()
        try await Viewer.run(options)
    }
}
