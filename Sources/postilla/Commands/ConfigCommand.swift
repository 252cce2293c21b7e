import ArgumentParser

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Print the viewer's settings, or check a settings file.",
        discussion: """
            Settings are read from $XDG_CONFIG_HOME/postilla/config.toml, or from the file named by --config or \
            POSTILLA_CONFIG. \
            The output is a complete settings file: all current settings with their meaning, all keys by context and \
            command, and all colours. A comment shows the origin of each value that is not the default. \
            --write writes such a file, with what the settings file says already. Do not redirect the output into the \
            settings file: the shell empties it before it is read.

            Examples:
              postilla config --write
              postilla config --check my.toml && echo ok
            """)

    @Option(
        help: ArgumentHelp(
            "List all errors of this file by line, and exit.", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var check: String?

    @Flag(help: "Print the path of the settings file.")
    var path = false

    @Flag(help: "Write the settings file, as a start for changes of your own.")
    var write = false

    @Flag(help: "With --write, replace an existing file, which is kept as config.toml.1.")
    var force = false

    func validate() throws {
        guard [check != nil, path, write].filter({ $0 }).count <= 1 else {
            throw ValidationError("Use only one of --check, --path and --write.")
        }
        guard write || !force else { throw ValidationError("--force needs --write.") }
    }

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
        if write { return try writeFile() }
        if let path = Preferences.path(), Output.goes(to: path) { throw Self.emptied(path) }
        let preferences = try Preferences.load()
        SettingsCopy.keep(preferences)
        for line in preferences.lines() { Output.line(line) }
        try report(preferences.problems)
    }

    /// What the user can do when the shell has opened the settings file for this command's output.
    private static func emptied(_ path: String) -> CommandFailure {
        let rescue =
            SettingsCopy.existing(of: path).map { "the last settings are kept in \($0): copy them back, and" }
            ?? "no copy of earlier settings is kept;"
        return CommandFailure(
            "standard output is the settings file \(path), which the shell may have emptied; \(rescue) use postilla config --write",
            .usage)
    }

    private func writeFile() throws {
        guard let path = Preferences.path() else {
            throw CommandFailure("HOME is not set; use POSTILLA_CONFIG", .usage)
        }
        let file = try SettingsFile(path)
        let text = try file.text()
        guard text == nil || force else {
            throw CommandFailure(
                "\(path) exists; add --force to replace it, and to keep it as \(file.nextPath())", .usage)
        }
        // Values from the environment belong to this shell, not into the file.
        let preferences = Preferences(file: text.map { (path, $0) })
        guard preferences.problems.isEmpty else { return try report(preferences.problems) }
        let kept = try file.replace(with: preferences.lines(namingOrigins: false).joined(separator: "\n") + "\n")
        Output.message("Wrote \(path)" + (kept.map { "; the earlier settings are in \($0)" } ?? ""))
    }

    private func report(_ problems: [String]) throws {
        for problem in problems { Output.error(problem) }
        if !problems.isEmpty { ExitStatus.leave(.usage) }
        if check != nil { Output.message("No errors.") }
    }
}
