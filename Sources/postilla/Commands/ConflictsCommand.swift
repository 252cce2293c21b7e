import Annotations
import ArgumentParser
import Crypto
import Instant
import InstantCore
import SyncProtocol

struct ConflictsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts", abstract: "List conflicting and rejected edits, and resolve them.",
        subcommands: [ConflictsListCommand.self, ConflictsResolveCommand.self],
        defaultSubcommand: ConflictsListCommand.self)
}

struct ConflictsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List conflicts with base, mine and theirs.",
        discussion: """
            Needs no server, and no token if this machine has only one layer or the options select one. json and \
            ndjson print records {"id","edit","refused","reason","version","base","mine","theirs"}: base is the record \
            the edit was made against, mine your content, theirs the current record; null if it does not exist. version \
            names mine and theirs, for conflicts resolve --seen.

            Examples:
              postilla conflicts
              postilla conflicts --format ndjson | jq '{id, mine: .mine.text}'
            """)

    @OptionGroup var listing: ListingOptions
    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let session = try await LayerSession.open(layer, local: true, reads: true)
        let inFile = try await session.own?.link.report().conflicts ?? []
        try await session.reading {
            try Listing.write(
                listing, Self.columns, members: ["refused"], nothing: "no conflicts"
            ) { listing in
                for conflict in inFile { listing.add(Self.fieldsInFile(conflict), style: .trouble) { conflict.json } }
                for conflict in try session.descriptor.conflicts() {
                    listing.add(Self.fields(conflict), style: .trouble) { conflict.json }
                }
            }
        }
    }

    private static let columns = [
        Listing.Column("id", 26), .init("edit", 7), .init("reason", 30), .init("mine", 24), .init("theirs", 24),
        .init("base", .rest),
    ]

    private static func fields(_ conflict: Conflict) -> [String] {
        func text(_ content: Content?, _ nothing: String) -> String {
            content.map { Annotation(id: conflict.recordID, content: $0).text } ?? nothing
        }
        return [
            conflict.recordID, conflict.kind.rawValue, conflict.reason, text(conflict.mine, "(deleted)"),
            text(conflict.theirs?.content, "(gone)"), text(conflict.base?.content, "(new)"),
        ]
    }
}

extension ConflictsListCommand {
    /// A conflict with what another program wrote into a PDF.
    fileprivate static func fieldsInFile(_ conflict: FileReport.Conflict) -> [String] {
        func text(_ record: Record?, _ nothing: String) -> String { record.map { Annotation($0).text } ?? nothing }
        return [
            conflict.id, conflict.edit, conflict.reason, text(conflict.mine, "(deleted)"),
            text(conflict.theirs, "(gone)"), text(conflict.base, "(new)"),
        ]
    }
}

extension FileReport.Conflict {
    fileprivate var edit: String { mine == nil ? "delete" : base == nil ? "create" : "update" }

    fileprivate var json: String {
        JSONWriter.text {
            $0.member("id", id)
            $0.member("edit", edit)
            $0.member("refused", false)
            $0.member("reason", reason)
            $0.member("version", sides.version)
            $0.member("base", source: base?.json ?? "null")
            $0.member("mine", source: mine?.content.text ?? "null")
            $0.member("theirs", source: theirs?.json ?? "null")
        }
    }
}

extension Conflict {
    fileprivate var json: String {
        JSONWriter.text {
            $0.member("id", recordID)
            $0.member("edit", kind.rawValue)
            $0.member("refused", isRefusal)
            $0.member("reason", reason)
            $0.member("version", sides.version)
            $0.member("base", source: base?.json ?? "null")
            $0.member("mine", source: mine?.text ?? "null")
            $0.member("theirs", source: theirs?.json ?? "null")
        }
    }
}

extension Conflict.Sides {
    /// Names both versions, for scripts.
    var version: String {
        let text = [mine, theirs].map { $0?.text ?? "null" }.joined(separator: "\n")
        return String(SHA256.hash(data: Array(text.utf8)).hexadecimal.prefix(scalars: 16))
    }
}
