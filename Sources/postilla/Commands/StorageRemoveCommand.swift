import ArgumentParser
import FoundationEssentials
import Instant
import InstantCore

struct StorageRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove layers from this machine only; the server keeps them.",
        discussion: """
            Removes the layers that match all options, and their PDFs unless another layer needs them. Unsent edits are removed \
            only with --discard-unsent; without it they are listed and, on a terminal, you are asked to confirm. A \
            layer that is open in another process is not removed.

            Examples:
              postilla storage remove --document reading-machines
              postilla storage remove --document reading-machines --layer review --user ana
              postilla storage remove --all --discard-unsent
            """)

    @Option(help: ArgumentHelp("Layers of this server.", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("Layers of this document.", valueName: "id"))
    var document: String?

    @Option(help: ArgumentHelp("Layers with this name; '' is the default layer.", valueName: "name"))
    var layer: String?

    @Option(help: ArgumentHelp("Layers of this user; '' is the anonymous user.", valueName: "id"))
    var user: String?

    @Flag(help: "All layers of all servers and users.")
    var all = false

    @Flag(help: "Also remove unsent edits.")
    var discardUnsent = false

    @OptionGroup var storage: StorageOptions

    func validate() throws {
        let isNamed = document != nil || layer != nil || server != nil || user != nil
        guard isNamed != all else { throw ValidationError("Use either --all or options that select layers.") }
    }

    func run() async throws {
        let folder = try storage.folder()
        let naming = LayerNaming(
            server: try server.map(ServerOptions.checked), document: document, layer: layer, user: user)
        let found = try LayerNaming.entries(in: folder).filter { all || naming.fits($0) }
        guard !found.isEmpty || all else {
            throw CommandFailure("no such layer on this machine; see postilla storage list")
        }
        do {
            try remove(found, in: URL(filePath: folder), try Folders(dataDirectory: folder))
        } catch { throw CommandFailure(reading: error) }
    }

    private func remove(_ entries: [InstantCacheEntry], in folder: URL, _ folders: Folders) throws {
        var losses: [LayerLosses] = []
        for entry in entries {
            do throws(InstantError) { losses.append(try InstantClient.losses(of: entry)) } catch {
                throw CommandFailure("\(entry.nameOrFolder): \(error.message)")
            }
        }
        try agree(to: zip(entries, losses).flatMap(Self.lines))
        var failures: [String] = []
        for (entry, known) in zip(entries, losses) {
            do throws(InstantError) {
                try InstantClient.remove(entry, in: folder, losing: discardUnsent ? nil : known)
                // The steps that could be undone have texts of the layer. A damaged layer no longer says which are its.
                if !entry.server.isEmpty { UndoStore.removeAll(of: entry.identity, in: folders) }
            } catch { failures.append("\(entry.nameOrFolder): \(error.message)") }
        }
        guard failures.isEmpty else { throw CommandFailure(failures.joined(separator: "\n")) }
        Output.message("\(entries.count) layer(s) removed")
    }

    private static func lines(_ entry: InstantCacheEntry, _ losses: LayerLosses) -> [String] {
        losses.edits.map {
            "\(entry.nameOrFolder): \(OutboxCommand.fields($0).filter { !$0.isEmpty }.joined(separator: "  "))"
        } + (losses.damage + losses.keptFiles).map { "\(entry.nameOrFolder): those that cannot be read: \($0)" }
    }

    /// Lists the edits that would be lost.
    private func agree(to unsent: [String]) throws {
        guard !unsent.isEmpty, !discardUnsent else { return }
        Output.message("These unsent edits would be lost:")
        for line in unsent.prefix(20) { Output.message("  " + line) }
        if unsent.count > 20 { Output.message("  and \(unsent.count - 20) more") }
        guard StandardInput.isTerminal, Output.isTerminal else {
            throw CommandFailure(
                "nothing removed; send the edits with postilla sync, resolve conflicts with postilla conflicts, "
                    + "or use --discard-unsent")
        }
        Output.prompt("Remove them? y/N ")
        guard try StandardInput.shared.line()?.lowercased().hasPrefix("y") == true else {
            throw CommandFailure("nothing removed")
        }
    }
}

extension InstantCacheEntry {
    /// The layer's name; that of its folder if it no longer says which one it is.
    fileprivate var nameOrFolder: String { server.isEmpty ? folder : name }
}
