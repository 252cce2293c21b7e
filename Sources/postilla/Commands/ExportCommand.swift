import Annotations
import ArgumentParser
import Instant
import InstantCore
import Interchange

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all annotations and comments of a layer into one file.",
        discussion: """
            instant-json is {"format","annotations":[…],"comments":[…]}, one record a line: the content with its id and, \
            where it has them, createdBy, updatedBy and group. Annotations of the PDF itself are in it, and edits that \
            were not sent yet. Importing the file into the same layer changes nothing.

            Examples:
              postilla export -o review.json
              postilla export | jq '.annotations | length'
            """)

    @Argument(help: ArgumentHelp("The server's address (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @Option(help: "The file's format.")
    var format = ExportFormat.instantJSON

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Write to this file, which is replaced in one step; else standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var layer: LayerOptions

    enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
        case instantJSON = "instant-json"
    }

    func run() async throws {
        let session = try await LayerSession.open(layer, server: target)
        try await session.synchronize()
        do {
            guard let output else { return try write(session.descriptor) { Output.data($0) } }
            let file = try NewFile(replacing: output)
            try write(session.descriptor, to: file.write)
            try file.finish()
        } catch { throw CommandFailure(reading: error) }
    }

    /// Page by page, then the comments: nothing is held but a thousand rows.
    private func write(_ descriptor: InstantDocumentDescriptor, to put: (String) throws -> Void) throws {
        var writer = InstantJSONWriter()
        try put(writer.begin())
        var offset = 0
        while case let rows = try descriptor.rows(ListQuery(), offset: offset, limit: 1000), !rows.isEmpty {
            for row in rows {
                guard let record = try descriptor.record(row.id), record.contentType != .comments else { continue }
                try put(writer.add(record))
            }
            offset += rows.count
        }
        try descriptor.forEachComment { try put(writer.add($0)) }
        try put(writer.end())
    }
}

extension InstantDocumentDescriptor {
    /// Comments in the order of their ids, then those that are only here; also where the root cannot be seen.
    fileprivate func forEachComment(_ body: (Record) throws -> Void) throws {
        var last: Record.ID?
        while case let rows = try layer.store.read({ try $0.records(after: last, limit: 1000) }), !rows.isEmpty {
            for row in rows where row.record.contentType == .comments {
                if let comment = try record(row.id) { try body(comment) }
            }
            last = rows.last?.id
        }
        for entry in try outbox() where entry.kind == .create && entry.content?.contentType == .comments {
            let isStored = try layer.store.read { try $0.record(entry.id) != nil }
            if !isStored, let comment = try record(entry.id) { try body(comment) }
        }
    }
}
