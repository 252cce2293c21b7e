import Annotations
import ArgumentParser
import Instant
import InstantCore

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send unsent edits and fetch changes.",
        discussion: """
            Runs one sync cycle in both directions, then prints the resulting counts; json and ndjson print one object \
            {"annotations","waiting","parked","conflicts","refused"}. Exits with 6 if edits are in conflict or were \
            refused; see postilla conflicts. Parked edits are those that the current token may not send, and those \
            that were put aside because something between here and the server refuses them; with the latter, sync \
            exits with 8. Of a PDF, the changes that are kept and not in the file are waiting; postilla write writes \
            them.

            sync names edits of the same layer that were made under another address, such as 127.0.0.1 for localhost, but \
            does not send them. --from sends them here, after a question.

            Examples:
              postilla sync
              postilla sync https://docs.example.com --from https://10.0.0.7:8443
              postilla sync --format json | jq .waiting
            """)

    @Argument(help: ArgumentHelp("Address of the server (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @Option(help: "Output format: table, json, ndjson or tsv.")
    var format = OutputFormat.table

    @Option(
        help: ArgumentHelp(
            "Also send the edits of this layer that were made under another address of the same server.",
            valueName: "address"))
    var from: String?

    @Flag(help: "With --from: do not ask.")
    var force = false

    @OptionGroup var layer: LayerOptions

    func validate() throws {
        guard !layer.offline else {
            throw ValidationError("sync needs the server; remove --offline.")
        }
        guard from == nil || layer.pdf == nil else { throw ValidationError("Use --from without --pdf.") }
        guard from != nil || !force else { throw ValidationError("--force is for --from.") }
    }

    func run() async throws {
        let session = try await LayerSession.open(layer, server: target)
        do { try await session.synchronize(sends: true) } catch { throw CommandFailure(reading: error) }
        if let from {
            // Only now is it known which data the server has.
            try session.descriptor.takeEdits(madeUnder: try ServerOptions.checked(from), asking: !force)
            do { try await session.synchronize(sends: true) } catch { throw CommandFailure(reading: error) }
        }
        if session.own == nil { session.descriptor.tellOfOtherCopies() }
        let kept = try await session.own?.changes() ?? []
        try await session.reading {
            let others = try session.descriptor.unsentInOtherStores()
            try report(session.descriptor, others, kept, session.own?.link.name)
            try others.requireReadable()
        }
    }

    /// - Parameters:
    ///   - others: what waits in stores that other processes use, or may not be sent with this token.
    ///   - kept: the changes that are not in the layer's PDF.
    ///   - name: that of the PDF.
    private func report(
        _ descriptor: InstantDocumentDescriptor, _ others: LayerLosses, _ kept: [OwnFileChange], _ name: String?
    ) throws {
        let status = descriptor.status
        let disputed = kept.count(where: \.isConflict)
        let counts = [
            ("annotations", try descriptor.layer.count(ListQuery())),
            ("waiting", status.unsent + others.edits.count(where: \.state.isOnItsWay) + kept.count - disputed),
            ("parked", status.parked + others.edits.count(where: \.state.isParked)),
            ("conflicts", status.conflicts + disputed), ("refused", status.refused),
        ]
        switch format {
        case .table: Output.line(counts.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
        case .tsv:
            Output.line(counts.map(\.0).joined(separator: "\t"))
            Output.line(counts.map { "\($0.1)" }.joined(separator: "\t"))
        case .json, .ndjson:
            var json = JSONWriter()
            json.object { for (name, count) in counts { $0.member(name, count) } }
            Output.json(json.text)
        }
        if let name, !kept.isEmpty { Output.message(OwnFileSession.kept(kept.count, name)) }
        guard status.conflicts + disputed + status.refused == 0 else {
            throw CommandFailure("some edits were not accepted; see postilla conflicts", .conflict)
        }
        guard status.aside == 0 else { throw CommandFailure(LayerSession.putAside(status.aside), .unconfirmed) }
    }
}

extension UnsentEdit.State {
    fileprivate var isOnItsWay: Bool { self == .waiting || self == .sending }
    fileprivate var isParked: Bool { if case .parked = self { true } else { false } }
}
