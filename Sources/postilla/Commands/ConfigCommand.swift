import ArgumentParser

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Print how the viewer is set up, or check a file of settings.",
        discussion: """
            Settings stand in $XDG_CONFIG_HOME/postilla/config.toml (or POSTILLA_CONFIG names the file). What is printed is \
            such a file with everything in it: the settings in force with what they mean, all keys by place and command, \
            all colours; behind what is not the default, where it was set.

            Examples:
              postilla config > ~/.config/postilla/config.toml
              postilla config --check my.toml && echo all is well
            """)

    @Option(
        help: ArgumentHelp(
            "Say all that is wrong with this file, with its lines, and do nothing else.", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var check: String?

    @Flag(help: "Print the name of the file that is read.")
    var path = false

    func run() throws {
        if let check {
            let preferences = Preferences(file: (check, try PrivateFile.read(check, limit: 1 << 20)))
            return try report(preferences.problems)
        }
        if path {
            guard let path = Preferences.path() else { throw CommandFailure("HOME is not set", .usage) }
            return Output.line(path)
        }
        let preferences = try Preferences.load()
        for line in preferences.lines { Output.line(line) }
        try report(preferences.problems)
    }

    private func report(_ problems: [String]) throws {
        for problem in problems { Output.error(problem) }
        if !problems.isEmpty { ExitStatus.leave(.usage) }
        if check != nil { Output.message("All is in order.") }
    }
}
