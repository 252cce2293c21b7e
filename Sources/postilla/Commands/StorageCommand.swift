import ArgumentParser
import FoundationEssentials
import Instant

struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "List, check, repair and remove the data on this machine.",
        discussion: "These commands need neither a server nor a token; repair uses them if they are given.",
        subcommands: [
            StorageListCommand.self, StorageCheckCommand.self, StorageRepairCommand.self, StorageRemoveCommand.self,
            StoragePruneCommand.self,
        ],
        defaultSubcommand: StorageListCommand.self)
}

/// The data folder of the storage commands.
struct StorageOptions: ParsableArguments {
    @OptionGroup var data: DataOptions

    var dataDir: String? { data.dataDir }

    func folder() throws -> String { try Folders(dataDirectory: dataDir).data }
}

struct StoragePruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Remove PDFs that no layer on this machine needs.")

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        do {
            let bytes = try InstantClient.removeUnreferencedCacheEntries(in: URL(filePath: storage.folder()))
            Output.message("\(bytes) bytes freed")
        } catch { throw CommandFailure(reading: error) }
    }
}
