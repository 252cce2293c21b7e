import ArgumentParser

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Print the viewer's settings, or check a settings file.",
        discussion: """
            Settings are read from $XDG_CONFIG_HOME/postilla/config.toml, or from the file named by --config or \
            POSTILLA_CONFIG. \
            The output is a complete settings file: all current settings with their meaning, all keys by context and \
            command, and all colours. A comment shows the origin of each value that is not the default.

            Examples:
              postilla config > ~/.config/postilla/config.toml
              postilla config --check my.toml && echo ok
            """)

    @Option(
        help: ArgumentHelp(
            "List all errors of this file by line, and exit.", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var check: String?

    @Flag(help: "Print the path of the settings file.")
    var path = false

    func run() throws {
        if let check {
            let preferences = Preferences(file: (check, try PrivateFile.read(check, limit: 1 << 20)))
            return try report(preferences.problems)
        }
        if path {
            guard let path = Preferences.path() else {
                throw CommandFailure("HOME is not set; use POSTILLA_CONFIG", .usage)
            }
            return Output.line(path)
        }
        let preferences = try Preferences.load()
        for line in preferences.lines { Output.line(line) }
        try report(preferences.problems)
    }

    private func report(_ problems: [String]) throws {
        for problem in problems { Output.error(problem) }
        if !problems.isEmpty { ExitStatus.leave(.usage) }
        if check != nil { Output.message("No errors.") }
    }
}
