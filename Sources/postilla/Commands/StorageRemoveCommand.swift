import Annotations
import ArgumentParser
import DocumentEngine
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

            --file gives up what is kept of a PDF of your own and is not in it. The file stays as it is.

            Examples:
              postilla storage remove --document reading-machines
              postilla storage remove --document reading-machines --layer review --user ana
              postilla storage remove --all --discard-unsent
              postilla storage remove --file paper.pdf
            """)

    @Option(help: ArgumentHelp("Layers of this server.", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("Layers of this document.", valueName: "id"))
    var document: String?

    @Option(help: ArgumentHelp("Layers with this name; '' is the default layer.", valueName: "name"))
    var layer: String?

    @Option(help: ArgumentHelp("Layers of this user; '' is the anonymous user.", valueName: "id"))
    var user: String?

    @Option(
        help: ArgumentHelp("What is kept of this PDF of your own and is not in it.", valueName: "file"),
        completion: .file(extensions: ["pdf"]))
    var file: String?

    @Flag(help: "All layers of all servers and users.")
    var all = false

    @Flag(help: "Also remove unsent edits, or changes that are not in the file, without asking.")
    var discardUnsent = false

    @OptionGroup var storage: StorageOptions

    func validate() throws {
        let isNamed = document != nil || layer != nil || server != nil || user != nil
        guard file == nil || (!isNamed && !all) else { throw ValidationError("Use --file alone: it names no layer.") }
        guard file != nil || isNamed != all else {
            throw ValidationError("Use either --all or options that select layers.")
        }
    }

    func run() async throws {
        if let file { return try await giveUp(file) }
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
        try agree(
            to: zip(entries, losses).flatMap(Self.lines), "These unsent edits would be lost:",
            instead: "send the edits with postilla sync, resolve conflicts with postilla conflicts,")
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

    // MARK: A PDF of one's own

    private func giveUp(_ name: String) async throws {
        let folders = try Folders(dataDirectory: storage.dataDir)
        let path = FilePaths.resolved(OwnFileLink.absolute(name))
        let list = OwnFileList(folders)
        let damaged = list.damaged.filter { $0.file?.isExactly(path) ?? false }
        if !damaged.isEmpty { try giveUp(damaged, name) }
        guard let state = list.kept.first(where: { $0.path.isExactly(path) }) else {
            guard damaged.isEmpty else { return }
            throw CommandFailure("nothing is kept of \(name.onOneLine); see postilla storage list")
        }
        try agree(
            to: state.unwrittenRecords.map { "\(name.onOneLine): \(Self.line($0.file, $0.layer))" },
            "These changes are not in \(name.onOneLine) and would be lost:",
            instead: "write them with postilla write \(name.shellWord),")
        let link = try await OwnFileLink.open(name, folders).link
        let count: Int
        do { count = try await link.revert().count } catch {
            throw CommandFailure("\(name.onOneLine): nothing removed: \(error)")
        }
        await link.close()
        Output.message("\(name.onOneLine): \(Wording.count(count, "change")) removed; the file stays as it is")
    }

    /// Removes what is kept and cannot be read.
    private func giveUp(_ damaged: [OwnFileDamage], _ name: String) throws {
        try agree(
            to: damaged.map(\.sentence), "These changes to \(name.onOneLine) cannot be read and would be lost:",
            instead: "put back a copy of them,")
        for one in damaged {
            let folder = one.path[..<(one.path.lastIndex(of: "/") ?? one.path.endIndex)]
            do { try FileManager.default.removeItem(atPath: String(folder)) } catch {
                throw CommandFailure("\(folder): not removed: permission is denied, or the disk cannot be written")
            }
        }
        Output.message("\(name.onOneLine): what was damaged is removed; the file stays as it is")
    }

    /// `created: note, page 2, “some words”`
    private static func line(_ file: Record?, _ layer: Record?) -> String {
        let what = file == nil ? "created" : layer == nil ? "deleted" : "changed"
        guard let record = layer ?? file else { return what }
        let annotation = Annotation(record)
        let words = annotation.text.isEmpty ? nil : "“\(annotation.text.prefix(scalars: 60))”"
        let parts = [annotation.kind.name, annotation.pageIndex.map { "page \($0 + 1)" }, words]
        return "\(what): " + parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// Lists what would be lost, and asks.
    ///
    /// - Parameter instead: what to do without a terminal.
    private func agree(to unsent: [String], _ title: String, instead: String) throws {
        guard !unsent.isEmpty, !discardUnsent else { return }
        Output.message(title)
        for line in unsent.prefix(20) { Output.message("  " + line) }
        if unsent.count > 20 { Output.message("  and \(unsent.count - 20) more") }
        guard StandardInput.isTerminal, Output.isTerminal else {
            throw CommandFailure(
                "nothing removed; \(instead) or use --discard-unsent")
        }
        Output.prompt("Remove them? y/N ")
        guard try StandardInput.shared.line()?.lowercased().begins(with: "y") == true else {
            throw CommandFailure("nothing removed")
        }
    }
}

extension InstantCacheEntry {
    /// The layer's name; that of its folder if it no longer says which one it is.
    fileprivate var nameOrFolder: String { server.isEmpty ? folder : name }
}
