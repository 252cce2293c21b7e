import Annotations
import ArgumentParser
import Instant
import InstantCore

struct ConflictsResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Settle one: send mine again, drop it, or send a merged text.",
        discussion: """
            --mine sends the edit again, on top of what stands there now; --theirs drops it; --content sends this in \
            place of both. With --offline it is sent by the next sync.

            Examples:
              postilla conflicts resolve 01HV60ME365HS69FVQ1CE6PK2G --mine
              postilla conflicts resolve 01HV60ME365HS69FVQ1CE6PK2G --theirs --offline
            """)

    @Argument(help: ArgumentHelp("The record's id, as conflicts lists it.", valueName: "id"))
    var id: String

    @Flag(help: "Which edit is to stand.")
    var side: Side?

    @Option(help: ArgumentHelp("A file with the merged content as JSON; - is standard input.", valueName: "file"))
    var content: String?

    @OptionGroup var layer: LayerOptions

    enum Side: String, EnumerableFlag {
        case mine, theirs
    }

    func validate() throws {
        guard (side == nil) != (content == nil) else {
            throw ValidationError("How? Give --mine, --theirs or --content FILE: one of them.")
        }
    }

    func run() async throws {
        let (session, resolution) = try await LayerSession.open(layer, reading: resolution)
        try await session.synchronize()
        do {
            let conflict = try session.descriptor.conflicts().first { $0.recordID.isExactly(id) }
            guard let conflict else { throw CommandFailure("no edit of \(id) is in conflict") }
            guard let receipt = try session.descriptor.resolve(conflict.id, resolution) else { return }
            try await session.deliverOrExplain([receipt.id], "not settled")
            // What was gone came back as a new record: say how it is called now.
            if !receipt.id.isExactly(id) { Output.line(receipt.id) }
        } catch { throw CommandFailure(reading: error) }
    }

    private func resolution() async throws -> ConflictResolution {
        switch side {
        case .mine: .mine
        case .theirs: .theirs
        case nil: .merged(try await ContentFile.draft(content ?? "-").content)
        }
    }
}
