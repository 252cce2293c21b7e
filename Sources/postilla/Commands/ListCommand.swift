import Annotations
import ArgumentParser
import Instant
import InstantCore

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the annotations of the layer that a token names.",
        discussion: "json is one array of records {id, content, createdBy, updatedBy, group}; ndjson one record a line."
    )

    @Argument(help: ArgumentHelp("The server's address (or --server, POSTILLA_SERVER).", valueName: "server"))
    var target: String?

    @Option(help: "table, json, ndjson or tsv.")
    var format = OutputFormat.table

    @OptionGroup var server: ServerOptions
    @OptionGroup var tokens: TokenOptions

    func run() async throws {
        let session = try await LayerSession(
            server: try server.serverURL(target), source: try tokens.source(), options: server)
        try await session.synchronize()
        do {
            try write(session)
        } catch let error as StoreError { throw CommandFailure("\(error)") }
    }

    /// A thousand rows at a time: a layer is never held whole.
    private func write(_ session: LayerSession) throws {
        let layer = session.descriptor
        var isFirst = true
        if format == .json { Output.data("[") }
        if format == .tsv { Output.data(Self.columns.joined(separator: "\t") + "\n") }
        var offset = 0
        while true {
            let rows = try layer.rows(ListQuery(), offset: offset, limit: 1000)
            for row in rows {
                switch format {
                case .json, .ndjson:
                    guard let record = try layer.record(row.id) else { continue }
                    let separator = format == .ndjson ? "" : isFirst ? "\n" : ",\n"
                    Output.data(separator + record.json + (format == .ndjson ? "\n" : ""))
                case .tsv: Output.data(Self.fields(row).map(Self.oneLine).joined(separator: "\t") + "\n")
                case .table: Output.line(Self.tableLine(row))
                }
                isFirst = false
            }
            offset += rows.count
            if rows.count < 1000 { break }
        }
        if format == .json { Output.data(isFirst ? "]\n" : "\n]\n") }
        if format == .table, isFirst { Output.message("no annotations") }
    }

    private static let columns = ["id", "page", "kind", "author", "changed", "state", "text"]

    private static func fields(_ row: ListRow) -> [String] {
        [
            row.id, row.pageIndex.map { "\($0 + 1)" } ?? "", row.kind.name, row.author ?? row.createdBy ?? "",
            row.changedAt?.iso8601 ?? "", row.delivery.rawValue, row.text,
        ]
    }

    /// No field of a table may hold what divides fields and lines.
    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }

    private static func tableLine(_ row: ListRow) -> String {
        func column(_ text: String, _ width: Int) -> String {
            let text = String(oneLine(text).prefix(width))
            return text + String(repeating: " ", count: max(0, width - text.count))
        }
        let page = row.pageIndex.map { "\($0 + 1)" } ?? "-"
        let state = row.delivery == .delivered ? "" : " (\(row.delivery.rawValue))"
        return column(String(row.kind.letter), 2) + column(page, 5) + column(row.author ?? row.createdBy ?? "", 12)
            + " " + column(row.id, 26) + "  " + oneLine(row.text) + state
    }
}
