import Annotations
import App
import ArgumentParser
import Authorization
import Instant
import InstantCore

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show annotations or comments with all details.",
        discussion: """
            table prints one block per record, json one array of records, ndjson one record per line.

            Examples:
              postilla show 01HV60ME365HS69FVQ1CE6PK2G
              postilla show 01HV60ME365HS69FVQ1CE6PK2G --format ndjson | jq .content.bbox
            """)

    @OptionGroup var ids: IDArguments
    @OptionGroup var listing: ListingOptions
    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let (session, ids) = try await LayerSession.open(layer, reads: true, reading: ids.read)
        try await session.synchronize()
        let states = try await session.statesInFile()
        try await session.reading { try write(session, ids.map(session.id(of:)), states) }
    }

    private func write(
        _ session: LayerSession, _ ids: [Record.ID], _ states: [ByteOrdered: DeliveryState]
    ) throws {
        let found = try ids.map { id in
            guard let record = try session.descriptor.layer.record(id), let row = try session.descriptor.layer.row(id)
            else {
                throw session.noRecord(id)
            }
            return (record: record, row: RecordRow.inFile(row, states))
        }
        guard listing.format != .table || listing.fields != nil else {
            for (index, one) in found.enumerated() {
                if index > 0 { Output.line("") }
                for (name, value) in try facts(one.record, one.row, session) { Output.line(Self.fact(name, value)) }
            }
            return
        }
        var listing = try Listing(listing, RecordRow.columns, members: RecordRow.members)
        for one in found { listing.add(RecordRow.fields(one.row)) { one.record.json } }
        listing.end(nothing: "")
    }

    private func facts(
        _ record: Record, _ row: ListRow, _ session: LayerSession
    ) throws -> [(String, String)] {
        let annotation = Annotation(record)
        var facts = [("id", record.id), ("kind", row.kind.name)]
        if case .unknown(let type) = row.kind { facts[1].1 = "unknown (\(type))" }
        if let name = annotation.name { facts.append((annotation.kind == .file ? "file" : "field", name)) }
        if let type = record.content["postilla"]?["fieldType"]?.string { facts.append(("type", type)) }
        if let value = try session.descriptor.layer.row(Content.formFieldValueID(of: record.id)) {
            facts.append(("value", value.text))
        }
        if let size = annotation.fileSize { facts.append(("size", ByteCount.text(size))) }
        if let page = row.pageIndex { facts.append(("page", "\(page + 1)")) }
        if let box = annotation.box { facts.append(("box", box.json.text)) }
        facts.append(("author", [annotation.author, record.createdBy.map { "(\($0))" }].words))
        if let last = record.updatedBy, !record.createdBy.isExactly(last) { facts.append(("changed by", last)) }
        if let group = record.group { facts.append(("group", group)) }
        if let made = annotation.createdAt { facts.append(("made", made.iso8601)) }
        if let changed = annotation.updatedAt { facts.append(("changed", changed.iso8601)) }
        facts.append(("state", row.delivery.rawValue))
        if let root = annotation.rootID { facts.append(("reply to", root)) }
        if row.remarks > 0 { facts.append(("comments", "\(row.remarks)")) }
        for one in try session.descriptor.layer.states(of: record.id).entries {
            let said = Annotation(one.comment)
            let who = Author.name(said.author, user: one.comment.createdBy).map { " by \($0)" } ?? ""
            facts.append(("review", one.state.rawValue + who))
        }
        let operations = try session.descriptor.layer.operations(on: record.id)
        facts.append(("you may", operations.isEmpty ? "read" : operations.words))
        if let target = annotation.target { facts.append(("link", target)) }
        if let warning = annotation.warning { facts.append(("warning", warning)) }
        if !annotation.text.isEmpty { facts.append(("text", annotation.text)) }
        return facts
    }

    /// Indents the further lines of a text to the first one.
    private static func fact(_ name: String, _ value: String) -> String {
        let indent = String(repeating: " ", count: 12)
        let lines = value.split(scalar: "\n", omittingEmptySubsequences: false)
        return name + String(repeating: " ", count: max(1, 12 - name.count)) + lines.joined(separator: "\n" + indent)
    }
}

extension [String?] {
    fileprivate var words: String { compactMap { $0 }.joined(separator: " ") }
}

extension RecordOperations {
    fileprivate var words: String {
        let all: [(RecordOperations, String)] = [
            (.edit, "edit"), (.delete, "delete"), (.reply, "reply"), (.setGroup, "set the group"),
        ]
        return all.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
