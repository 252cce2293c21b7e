import ArgumentParser

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make a token for trying things out, explain one, or revoke one.",
        subcommands: [TokenIssueCommand.self, TokenShowCommand.self, TokenRevokeCommand.self])
}
