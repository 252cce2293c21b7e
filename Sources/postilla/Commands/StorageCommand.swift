import ArgumentParser

struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "What is kept on this machine, and getting rid of it.",
        discussion: "None of these needs a server or a token.",
        subcommands: [
            StorageListCommand.self, StorageCheckCommand.self, StorageRemoveCommand.self, StoragePruneCommand.self,
        ],
        defaultSubcommand: StorageListCommand.self)
}

/// Where the data is that storage commands work on.
struct StorageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Data is kept here instead of $XDG_DATA_HOME/postilla (or POSTILLA_DATA).", valueName: "dir")
    )
    var dataDir: String?

    func folder() throws -> String { try Folders(dataDirectory: dataDir).data }
}
