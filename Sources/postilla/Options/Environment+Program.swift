import Instant

extension Environment {
    /// This program, named by its command, such as `watch`; other processes show that name.
    static let program: Environment = {
        var environment = Environment.system
        let commands = Set(Postilla.configuration.subcommands.compactMap { $0.configuration.commandName })
        environment.process.name = CommandLine.arguments.dropFirst().first(where: commands.contains) ?? "postilla"
        return environment
    }()

    /// The environment of a program that logs its requests.
    static func program(_ log: DebugLog?) -> Environment {
        var environment = program
        if let log { environment.requestEnded = { log.note($0) } }
        return environment
    }
}
