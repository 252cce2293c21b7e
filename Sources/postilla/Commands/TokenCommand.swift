import ArgumentParser

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Issue, show or revoke a token.",
        subcommands: [TokenIssueCommand.self, TokenShowCommand.self, TokenRevokeCommand.self])
}
