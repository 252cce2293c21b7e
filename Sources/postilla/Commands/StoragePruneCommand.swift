import ArgumentParser
import FoundationEssentials
import Instant

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
