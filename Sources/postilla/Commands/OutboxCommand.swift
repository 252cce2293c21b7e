import Annotations
import ArgumentParser
import Instant
import InstantCore

struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "List the unsent edits on this machine.",
        discussion: """
            Needs no server, and no token if this machine has only one layer or the options select one. json and \
            ndjson print records {"id","edit","state","reason"?,"made","content"?}: edit is create, update, delete or \
            restore; state is waiting, sending, parked, conflict or refused. Of a PDF, they are the changes that are not \
            in the file: their state is kept or conflict, and made is null if the annotation has no time. Without \
            --pdf, PDFs with such changes are named on standard error.

            Examples:
              postilla outbox
              postilla outbox --document reading-machines --format ndjson | jq -r .state
            """)

    @Argument(help: ArgumentHelp("Address of the server (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @OptionGroup var listing: ListingOptions
    @OptionGroup var layer: LayerOptions

    func run() async throws {
        // Also if no layer is found: it may be a PDF that the person looks for.
        defer { tellOfPDFs() }
        if selectsNothing, try LayerNaming.entries(in: layer.data.folders().data).isEmpty {
            return try Listing.write(listing, Self.columns, members: ["content"], nothing: Self.nothing) { _ in }
        }
        let session = try await LayerSession.open(layer, server: target, local: true, reads: true)
        let kept = try await session.own?.changes() ?? []
        try await session.reading {
            let others = try session.descriptor.unsentInOtherStores()
            let edits = try session.descriptor.unsentEdits() + others.edits
            let nothing = others.damage.isEmpty ? Self.nothing : "no unsent edits that can be read"
            try Listing.write(listing, Self.columns, members: ["content"], nothing: nothing) { listing in
                for change in kept {
                    listing.add(change.fields, style: change.isConflict ? .trouble : .attention) { change.json }
                }
                for edit in edits { listing.add(Self.fields(edit), style: edit.state.style) { edit.json } }
            }
            if session.own == nil { session.descriptor.tellOfOtherCopies() }
            try others.requireReadable()
        }
    }

    /// Names the PDFs with changes that are not in the file, unless the options select something.
    private func tellOfPDFs() {
        guard selectsNothing, let folders = try? layer.data.folders() else { return }
        for file in OwnFileList(folders).kept {
            Output.message(OwnFileSession.kept(file.unwritten, file.path))
        }
    }

    private var selectsNothing: Bool {
        target == nil && layer.server.server == nil && layer.pdf == nil
            && [layer.document, layer.layer, layer.user].allSatisfy { $0 == nil }
    }

    private static let nothing = "no unsent edits"

    static let columns = [
        Listing.Column("id", 26), .init("edit", 7), .init("page", 4), .init("kind", 14), .init("made", .moment),
        .init("state", 9), .init("reason", 30), .init("text", .rest),
    ]

    static func fields(_ edit: UnsentEdit) -> [String] {
        let shown = (edit.content ?? edit.base?.content).map { Annotation(id: edit.recordID, content: $0) }
        return [
            edit.recordID, edit.kind.rawValue, shown?.pageIndex.map { "\($0 + 1)" } ?? "", shown?.kind.name ?? "",
            Timestamp(edit.madeAt).iso8601, edit.state.word, edit.state.reason ?? "", shown?.text ?? "",
        ]
    }
}

extension LayerLosses {
    /// Fails if stores of other views, which other processes use or have left, cannot be read.
    func requireReadable() throws {
        guard !damage.isEmpty else { return }
        throw CommandFailure(
            "there may be unsent edits that cannot be read: \(damage.joined(separator: "; ")); "
                + "see postilla storage check")
    }
}

extension UnsentEdit {
    fileprivate var json: String {
        JSONWriter.text {
            $0.member("id", recordID)
            $0.member("edit", kind.rawValue)
            $0.member("state", state.word)
            if let reason = state.reason { $0.member("reason", reason) }
            $0.member("made", Timestamp(madeAt).iso8601)
            if let content { $0.member("content", source: content.text) }
        }
    }
}

extension UnsentEdit.State {
    var word: String {
        switch self {
        case .waiting: "waiting"
        case .sending: "sending"
        case .parked: "parked"
        case .conflict: "conflict"
        case .refused: "refused"
        }
    }

    var reason: String? {
        switch self {
        case .waiting, .sending: nil
        case .parked(let why), .conflict(let why), .refused(let why): why
        }
    }

    var style: Paint.Style {
        switch self {
        case .waiting, .sending: .plain
        case .parked: .attention
        case .conflict, .refused: .trouble
        }
    }
}
