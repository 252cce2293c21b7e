import Annotations
import ArgumentParser
import Instant
import InstantCore

struct CommentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comments", abstract: "List the comments under an annotation, oldest first.",
        discussion: """
            The id of any comment in the thread also works, as does that of a deleted annotation whose comments remain. \
            json prints one array of records, ndjson one record per \
            line, in the same form as list.

            Examples:
              postilla comments 01HV60ME365HS69FVQ1CE6PK2G
              postilla comments 01HV60ME365HS69FVQ1CE6PK2G --format tsv | cut -f 4,7
            """)

    @Argument(help: ArgumentHelp("Id of the annotation, from list.", valueName: "id"))
    var id: String

    @OptionGroup var listing: ListingOptions
    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let session = try await LayerSession.open(layer, reads: true)
        try await session.synchronize()
        let states = try await session.statesInFile()
        try await session.reading { try write(session, states) }
    }

    private func write(_ session: LayerSession, _ states: [ByteOrdered: DeliveryState]) throws {
        let descriptor = session.descriptor
        let id = try session.id(of: id)
        let record = try descriptor.layer.record(id)
        let root = record?.content["rootId"]?.string ?? id
        let comments = try descriptor.layer.thread(under: root)
        guard record != nil || !comments.isEmpty else { throw session.noRecord(id) }
        try Listing.write(
            listing, RecordRow.columns, members: RecordRow.members, nothing: "no comments"
        ) { listing in
            for comment in comments {
                guard let stored = try descriptor.layer.row(comment.id) else { continue }
                let row = RecordRow.inFile(stored, states)
                listing.add(RecordRow.fields(row), style: RecordRow.style(row)) { comment.json }
            }
        }
    }
}
