import ArgumentParser

struct AuthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth", abstract: "Say which server and token the commands use.",
        subcommands: [AuthStatusCommand.self], defaultSubcommand: AuthStatusCommand.self)
}
