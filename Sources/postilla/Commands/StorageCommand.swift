import ArgumentParser
import FoundationEssentials
import Instant

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

struct StoragePruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Remove PDFs that no layer on this machine needs.")

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        do {
            guard let bytes = try InstantClient.removeUnreferencedCacheEntries(in: URL(filePath: storage.folder()))
            else {
                throw CommandFailure(
                    "nothing was removed: a layer cannot be read and may need any of them, see postilla storage check")
            }
            Output.message("freed: \(bytes) bytes")
        } catch { throw CommandFailure(reading: error) }
    }
}
