import Annotations
import ArgumentParser
import Instant
import InstantCore

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the annotations of a layer.",
        discussion: """
            json prints one array of records {"id","content","createdBy","updatedBy","group"}, ndjson one record per \
            line, tsv the columns id, page, kind, author, changed, state, text and review after a header line; \
            review is the state that people gave it. The list \
            includes the PDF's own annotations. A table leaves out links, form fields and other furniture of the page \
            without a remark, and counts them; --all and --kind list them, and all other formats have every \
            annotation. To list comments, use postilla comments ID; only those whose annotation \
            was deleted or is hidden are listed here, below a row "deleted annotation".

            Examples:
              postilla list
              postilla list --kind form-field
              postilla list --kind highlight --page 3 --format tsv | cut -f 4,7
              postilla list --format ndjson | jq -r .content.creatorName | sort | uniq -c
            """)

    @Argument(
        help: ArgumentHelp("Address of the server (or --server, POSTILLA_SERVER), or a PDF.", valueName: "server|file"))
    var target: String?

    @OptionGroup var filter: FilterOptions
    @OptionGroup var listing: ListingOptions
    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let session = try await LayerSession.open(layer, server: target)
        try await session.synchronize()
        try await session.reading {
            try write(session.descriptor)
            try reportHidden(session.descriptor)
        }
    }

    private var query: ListQuery {
        var query = filter.query
        query.filter.hidesFurniture =
            listing.format == .table && !filter.all && query.filter.kinds.isDisjoint(with: AnnotationKind.furniture)
        return query
    }

    private func reportHidden(_ descriptor: InstantDocumentDescriptor) throws {
        let hidden = try descriptor.layer.store.read { try $0.counts(query, before: nil).hidden }
        guard !hidden.isEmpty else { return }
        let words = hidden.map { "\($0.count) \($0.value.name)\($0.count == 1 ? "" : "s")" }.joined(separator: ", ")
        Output.message("\(words) hidden; --all lists them")
    }

    /// Reads a thousand rows at a time, so that memory does not grow with the layer.
    private func write(_ descriptor: InstantDocumentDescriptor) throws {
        try Listing.write(listing, RecordRow.columns, nothing: "no annotations") { try add(descriptor, to: &$0) }
    }

    private func add(_ descriptor: InstantDocumentDescriptor, to listing: inout Listing) throws {
        var left = filter.limit ?? .max
        var offset = 0
        while left > 0 {
            let rows = try descriptor.layer.rows(query, offset: offset, limit: min(1000, left))
            for row in rows {
                try listing.add(RecordRow.fields(row), style: RecordRow.style(row)) {
                    try descriptor.layer.record(row.id)?.json
                }
                if row.isDeletedRoot { try addComments(leftBy: row.id, of: descriptor, to: &listing) }
            }
            offset += rows.count
            left -= rows.count
            if rows.isEmpty { break }
        }
    }

    private func addComments(
        leftBy root: Record.ID, of descriptor: InstantDocumentDescriptor, to listing: inout Listing
    ) throws {
        for comment in try descriptor.layer.thread(under: root) {
            guard let row = try descriptor.layer.row(comment.id) else { continue }
            listing.add(RecordRow.fields(row), style: RecordRow.style(row)) { comment.json }
        }
    }
}
