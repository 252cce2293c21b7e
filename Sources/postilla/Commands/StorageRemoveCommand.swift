import ArgumentParser
import FoundationEssentials
import Instant
import InstantCore

struct StorageRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove layers from this machine; the server keeps them.",
        discussion: """
            Goes for the layers that all the options fit, and for PDFs that no other layer needs. Edits that are only \
            here are named, and go only with --discard-unsent or, on a terminal, after a yes. A layer that is open in \
            another program stays.

            Examples:
              postilla storage remove --document reading-machines
              postilla storage remove --document reading-machines --layer review --user ana
              postilla storage remove --all --discard-unsent
            """)

    @Option(help: ArgumentHelp("Layers of this server.", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("Layers of this document.", valueName: "id"))
    var document: String?

    @Option(help: ArgumentHelp("Layers of this name; '' is the default one.", valueName: "name"))
    var layer: String?

    @Option(help: ArgumentHelp("Layers of this user; '' is the anonymous one.", valueName: "id"))
    var user: String?

    @Flag(help: "All layers of all servers and users.")
    var all = false

    @Flag(help: "Edits that were not sent go with them.")
    var discardUnsent = false

    @OptionGroup var storage: StorageOptions

    func validate() throws {
        let isNamed = document != nil || layer != nil || server != nil || user != nil
        guard isNamed != all else { throw ValidationError("Which? Give --document, --layer or both, or --all.") }
    }

    func run() async throws {
        let folder = try storage.folder()
        let naming = LayerNaming(
            server: try server.map(ServerOptions.checked), document: document, layer: layer, user: user)
        let found = try LayerNaming.entries(in: folder).filter { naming.fits($0) || (all && $0.problem != nil) }
        guard !found.isEmpty || all else {
            throw CommandFailure("no such layer is on this machine: see postilla storage list")
        }
        do {
            try await remove(found, in: URL(filePath: folder))
        } catch { throw CommandFailure(reading: error) }
    }

    private func remove(_ entries: [InstantCacheEntry], in folder: URL) async throws {
        var removals: [(entry: InstantCacheEntry, client: InstantClient)] = []
        var unsent: [String] = []
        for entry in entries {
            if let problem = entry.problem { unsent.append("cannot be read: \(problem)") }
            guard entry.problem == nil, let url = URL(string: entry.server) else { continue }
            let client = try InstantClient(serverURL: url, dataDirectory: folder)
            removals.append((entry, client))
            let descriptor = client.descriptor(entry.identity)
            guard !descriptor.isOpenElsewhere else {
                throw CommandFailure("\(entry.name) is open in another program: close it there first")
            }
            unsent += try descriptor.unsentEdits().map {
                "\(entry.name): \(OutboxCommand.fields($0).filter { !$0.isEmpty }.joined(separator: "  "))"
            }
        }
        try agree(to: unsent)
        for (entry, client) in removals { try client.removeLocalStorage(of: entry, discardingUnsent: true) }
        for entry in entries where entry.problem != nil { try InstantClient.removeUnreadable(entry) }
        Output.message("removed: \(entries.count) layers")
    }

    /// Names what would be lost.
    private func agree(to unsent: [String]) throws {
        guard !unsent.isEmpty, !discardUnsent else { return }
        Output.message("Only on this machine, and lost with it:")
        for line in unsent.prefix(20) { Output.message("  " + line) }
        if unsent.count > 20 { Output.message("  and \(unsent.count - 20) more") }
        guard StandardInput.isTerminal, Output.isTerminal else {
            throw CommandFailure(
                "nothing was removed: postilla sync sends what waits, postilla conflicts settles what lost, "
                    + "--discard-unsent gives them up")
        }
        Output.prompt("Remove them? y/N ")
        guard try StandardInput.shared.line()?.lowercased().hasPrefix("y") == true else {
            throw CommandFailure("nothing was removed")
        }
    }
}
