import ArgumentParser

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Issue, show, check or revoke a token.",
        subcommands: [
            TokenIssueCommand.self, TokenShowCommand.self, TokenCheckCommand.self, TokenRevokeCommand.self,
        ])
}
