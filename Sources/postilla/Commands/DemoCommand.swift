import Annotations
import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Start a server with sample documents and open the viewer.",
        discussion: """
            Needs no setup. Four things to try:
              lose a token     in the viewer, type :forget-token, press T, then type @ followed by the path of \
            reviewer.jwt
              cause a conflict open the layer in a second terminal (colleague.jwt), type :offline in one, edit the \
            same note in both, then type :online
              present          press P; in a second terminal (spectator.jwt) press F to follow
              be read-only     open the layer with spectator.jwt and press a
            """)

    @Flag(help: "Run only the server; print one JSON line with its address and the token files.")
    var serveOnly = false

    @OptionGroup var viewer: ViewerFlags

    @Option(
        help: ArgumentHelp("Data folder (default: POSTILLA_DATA or $XDG_DATA_HOME/postilla).", valueName: "dir"),
        completion: .directory)
    var dataDir: String?

    @Option(
        help: ArgumentHelp(
            "Append a debug log to this file: events and requests, never texts or tokens.", valueName: "file"))
    var log: String?

    func run() async throws {
        let log = try log.map { try DebugLog($0) }
        log?.noteStart()
        let folders = try Folders(dataDirectory: dataDir)
        let (serveOnly, viewer) = (serveOnly, viewer)
        try await Demo.run(folders) { demo in
            if serveOnly {
                Output.json(Self.readyLine(server: demo.server, folder: demo.folder))
                await Interruption.wait()
            } else {
                Output.message(Self.welcome(server: demo.server, folder: demo.folder))
                var options = ViewerOptions(
                    start: .server(demo.server), source: .file(demo.folder.token(.reviewer)), folders: folders)
                options.log = log
                options.invitation = Self.joining(demo.server, demo.folder, as: .colleague)
                try viewer.apply(to: &options)
                try await Viewer.run(options)
                Output.message(Self.farewell(folder: demo.folder))
            }
        }
    }

    private static func readyLine(server: String, folder: DemoFolder) -> String {
        JSONWriter.text {
            $0.member("server", server)
            $0.member(
                "tokens",
                object: { json in
                    for role in DemoRole.allCases { json.member(role.rawValue, folder.token(role)) }
                })
            $0.member("api_token_file", folder.apiToken)
        }
    }

    private static func joining(_ server: String, _ folder: DemoFolder, as role: DemoRole) -> String {
        "\(CommandLine.arguments[0]) open \(server) --token-file \(folder.token(role))"
    }

    private static func welcome(server: String, folder: DemoFolder) -> String {
        """
        To join from a second terminal while the demo runs, read-only:
          \(joining(server, folder, as: .spectator))
        or with write access:
          \(joining(server, folder, as: .colleague))
        """
    }

    private static func farewell(folder: DemoFolder) -> String {
        """
        The demo has ended. To continue with your annotations, run \(CommandLine.arguments[0]) demo again.
        To remove all its data: rm -r \(folder.path)
        """
    }
}
