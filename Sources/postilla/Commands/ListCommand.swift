import Annotations
import ArgumentParser
import Instant
import InstantCore
import Screen

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
            was deleted or is hidden are listed here, below a row "deleted annotation". Of a PDF whose text has changed, \
            the marks whose words are gone are named on standard error.

            Examples:
              postilla list
              postilla list --kind form-field
              postilla list --kind highlight --page 3 --format tsv | cut -f 4,7
              postilla list --format ndjson | jq -r .content.creatorName | sort | uniq -c
              postilla list --json id,page,content.color
            """)

    @Argument(
        help: ArgumentHelp("Address of the server (or --server, POSTILLA_SERVER), or a PDF.", valueName: "server|file"))
    var target: String?

    @OptionGroup var filter: FilterOptions
    @OptionGroup var listing: ListingOptions

    @Flag(name: .customLong("print0"), help: "Print only ids, each followed by a NUL, for xargs -0.")
    var print0 = false

    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let session = try await LayerSession.open(layer, server: target, reads: true)
        try await session.synchronize()
        let states = try await session.statesInFile()
        try await session.reading {
            try write(session.descriptor, states)
            try reportHidden(session.descriptor)
        }
        if let own = session.own {
            for mark in own.lost { Output.message("\(own.link.name.onOneLine): \(mark.sentence)") }
        }
    }

    private var query: ListQuery {
        var query = filter.query
        query.filter.hidesFurniture =
            listing.format == .table && listing.fields == nil && !print0 && !filter.all
            && query.filter.kinds.isDisjoint(with: AnnotationKind.furniture)
        return query
    }

    private func reportHidden(_ descriptor: InstantDocumentDescriptor) throws {
        var all = query
        all.filter.hidesFurniture = false
        let (left, hidden) = try descriptor.layer.store.read {
            (try $0.count(all) - $0.count(query), try $0.counts(query, before: nil).hidden)
        }
        guard left > 0 else { return }
        // A filter leaves out some of them.
        guard left == hidden.reduce(0, { $0 + $1.count }) else {
            return Output.message("\(left) link\(left == 1 ? "" : "s") and the like hidden; --all lists them")
        }
        let words = hidden.map { "\($0.count) \($0.value.name)\($0.count == 1 ? "" : "s")" }.joined(separator: ", ")
        Output.message("\(words) hidden; --all lists them")
    }

    /// Reads a thousand rows at a time, so that memory does not grow with the layer.
    private func write(_ descriptor: InstantDocumentDescriptor, _ states: [ByteOrdered: DeliveryState]) throws {
        guard !print0 else {
            return try forEachRow(descriptor) { Output.data(PrintableText(replacing: $0.id) + "\0") }
        }
        try Listing.write(listing, RecordRow.columns, members: RecordRow.members, nothing: "no annotations") {
            try add(descriptor, states, to: &$0)
        }
    }

    private func add(
        _ descriptor: InstantDocumentDescriptor, _ states: [ByteOrdered: DeliveryState], to listing: inout Listing
    ) throws {
        try forEachRow(descriptor) { row in
            let row = RecordRow.inFile(row, states)
            try listing.add(RecordRow.fields(row), style: RecordRow.style(row)) {
                try descriptor.layer.record(row.id)?.json
            }
            if row.isDeletedRoot { try addComments(leftBy: row.id, of: descriptor, states, to: &listing) }
        }
    }

    private func forEachRow(_ descriptor: InstantDocumentDescriptor, _ body: (ListRow) throws -> Void) throws {
        var left = filter.limit ?? .max
        var offset = 0
        while left > 0 {
            let rows = try descriptor.layer.rows(query, offset: offset, limit: min(1000, left))
            for row in rows { try body(row) }
            offset += rows.count
            left -= rows.count
            if rows.isEmpty { break }
        }
    }

    private func addComments(
        leftBy root: Record.ID, of descriptor: InstantDocumentDescriptor, _ states: [ByteOrdered: DeliveryState],
        to listing: inout Listing
    ) throws {
        for comment in try descriptor.layer.thread(under: root) {
            guard let stored = try descriptor.layer.row(comment.id) else { continue }
            let row = RecordRow.inFile(stored, states)
            listing.add(RecordRow.fields(row), style: RecordRow.style(row)) { comment.json }
        }
    }
}
