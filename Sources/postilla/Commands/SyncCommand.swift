import Annotations
import ArgumentParser
import Instant
import InstantCore

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send what waits, fetch what is new.",
        discussion: """
            One cycle, both ways. Prints what is left on this machine afterwards; json and ndjson as one object \
            {"annotations","waiting","parked","conflicts","refused"}. Exit code 6 when edits are in conflict or were \
            refused: postilla conflicts lists them. Parked edits are those that the present token may not send.

            Examples:
              postilla sync
              postilla sync --format json | jq .waiting
            """)

    @Argument(help: ArgumentHelp("The server's address (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @Option(help: "table, json, ndjson or tsv.")
    var format = OutputFormat.table

    @OptionGroup var layer: LayerOptions

    func validate() throws {
        guard !layer.offline else {
            throw ValidationError("--offline leaves the server alone: there is nothing to do.")
        }
    }

    func run() async throws {
        let session = try await LayerSession.open(layer, server: target)
        do {
            try await session.synchronize()
            try report(session.descriptor)
        } catch { throw CommandFailure(reading: error) }
    }

    private func report(_ descriptor: InstantDocumentDescriptor) throws {
        let status = descriptor.status
        let counts = [
            ("annotations", try descriptor.layer.count(ListQuery())), ("waiting", status.unsent),
            ("parked", status.parked),
            ("conflicts", status.conflicts), ("refused", status.refused),
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
        guard status.conflicts + status.refused == 0 else {
            throw CommandFailure("edits did not get through: see postilla conflicts", .conflict)
        }
    }
}
