import Annotations
import ArgumentParser

struct DocumentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "documents", abstract: "List and delete the documents of a server, as a backend would.",
        subcommands: [DocumentsListCommand.self, DocumentsLayersCommand.self, DocumentsDeleteCommand.self],
        defaultSubcommand: DocumentsListCommand.self)
}

struct DocumentsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the documents of a server.",
        discussion: """
            The oldest document comes first. json and ndjson print records {"id","title","bytes","createdAt"}.

            Examples:
              postilla documents list --api-token-file secret
              postilla documents list --title report --format tsv --api-token-file secret | cut -f 1
            """)

    @Option(help: ArgumentHelp("Only documents whose title has this text.", valueName: "text"))
    var title: String?

    @OptionGroup var listing: ListingOptions
    @OptionGroup var options: BackendOptions

    func run() async throws {
        let backend = try options.backend()
        var listing = try Listing(
            listing, [.init("id", 26), .init("bytes", 10), .init("created", .moment), .init("title", .rest)],
            members: ["id", "title", "bytes", "createdAt"])
        do {
            try await backend.forEachDocument(titled: title) { document in
                listing.add(
                    [document.id, "\(document.bytes)", document.createdAt, document.title], json: document.json)
            }
        } catch {
            listing.end(nothing: nil)
            throw error
        }
        listing.end(nothing: "no documents")
    }
}

extension BackendDocument {
    fileprivate func json() -> String {
        JSONWriter.text {
            $0.member("id", id)
            $0.member("title", title)
            $0.member("bytes", bytes)
            $0.member("createdAt", createdAt)
        }
    }
}

struct DocumentsLayersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "layers", abstract: "List the layers of a document.",
        discussion: """
            Prints one name per line; the empty name is the default layer. json prints one array of strings, ndjson one \
            string per line.
            """)

    @Argument(help: ArgumentHelp("Id of the document.", valueName: "document"))
    var document: String

    @OptionGroup var listing: ListingOptions
    @OptionGroup var options: BackendOptions

    func run() async throws {
        let names = try await options.backend().layers(of: document)
        var listing = try Listing(listing, [.init("layer", .rest)], members: [])
        for name in names { listing.add([name]) { JSON.string(name).text } }
        listing.end(nothing: "no layers")
    }
}

struct DocumentsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete documents with all their layers. This cannot be undone.",
        discussion: """
            Asks on a terminal; elsewhere, --force is needed. Clients that have a layer open lose access to it; their \
            unsent edits stay on their machines. If a document does not exist, the others are deleted, and the exit \
            code is 1.

            Examples:
              postilla documents delete draft-3 --api-token-file secret
              postilla documents list --title draft --format tsv --api-token-file secret | tail -n +2 | cut -f 1 |
                xargs -r postilla documents delete --force --api-token-file secret
            """)

    @Argument(help: ArgumentHelp("Ids of the documents, from documents list.", valueName: "document"))
    var documents: [String]

    @Flag(help: "Do not ask.")
    var force = false

    @OptionGroup var options: BackendOptions

    func run() async throws {
        let backend = try options.backend()
        try await agree(backend)
        var failures: [CommandFailure] = []
        for document in documents {
            do { try await backend.delete(document) } catch let failure as CommandFailure {
                guard failure.status == .failed else { throw failure }
                failures.append(CommandFailure("\(document): \(failure.message)", failure.status))
            }
        }
        Output.message("\(documents.count - failures.count) of \(documents.count) deleted")
        guard failures.isEmpty else {
            throw CommandFailure(failures.map(\.message).joined(separator: "\n"), .failed)
        }
    }

    private func agree(_ backend: Backend) async throws {
        guard !force else { return }
        guard StandardInput.isTerminal else {
            throw CommandFailure("nothing deleted; --force deletes without a question", .usage)
        }
        for document in documents {
            let names = try await backend.layers(of: document).map { $0.isEmpty ? "(default)" : $0 }
            Output.failure("\(document): \(names.isEmpty ? "no layers" : "layers \(names.joined(separator: ", "))")")
        }
        Output.prompt("Delete from \(backend.server) for everyone? y/N ")
        guard try StandardInput.shared.line()?.lowercased().begins(with: "y") == true else {
            throw CommandFailure("nothing deleted")
        }
    }
}
