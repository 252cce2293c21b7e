import Annotations
import ArgumentParser
import Instant
import InstantCore
import SyncProtocol

struct ConflictsResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Resolve a conflict: keep mine, keep theirs, or merge.",
        discussion: """
            --mine resends your edit on top of the current record; --theirs discards it; --content sends merged \
            content instead. With --offline the next sync sends it. --seen decides only what you have seen: it is the \
            "version" of the conflict in conflicts --format ndjson, and if either side has changed since, nothing is \
            decided (exit 6).

            Examples:
              postilla conflicts resolve 01HV60ME365HS69FVQ1CE6PK2G --mine
              postilla conflicts resolve 01HV60ME365HS69FVQ1CE6PK2G --theirs --offline
            """)

    @Argument(help: ArgumentHelp("Id of the record, from conflicts.", valueName: "id"))
    var id: String

    @Flag(help: "Which edit to keep.")
    var side: Side?

    @Option(
        help: ArgumentHelp("File with the merged content as JSON; - is standard input.", valueName: "file"),
        completion: .file())
    var content: String?

    @Option(help: ArgumentHelp("Only if the conflict still has this version.", valueName: "version"))
    var seen: String?

    @OptionGroup var layer: LayerOptions

    enum Side: String, EnumerableFlag {
        case mine, theirs
    }

    func validate() throws {
        guard (side == nil) != (content == nil) else {
            throw ValidationError("Use exactly one of --mine, --theirs and --content FILE.")
        }
    }

    func run() async throws {
        let (session, resolution) = try await LayerSession.open(layer, reading: resolution)
        try await session.synchronize()
        do {
            if try await resolveInFile(session, resolution) { return try await session.finish(decided: id) }
            let conflict = try session.descriptor.conflicts().first(of: id)
            guard let conflict else { throw CommandFailure("no conflict for \(id); see postilla conflicts") }
            try require(conflict.sides)
            guard let receipt = try session.descriptor.resolve(conflict.id, resolution, between: conflict.sides)
            else { return }
            try await session.deliverOrExplain([receipt.id], "not resolved")
            // A deleted record is restored as a new record: print its new id.
            if !receipt.id.isExactly(id) { Output.line(receipt.id) }
        } catch { throw CommandFailure(reading: error) }
    }

    /// Resolves a conflict with what another program wrote into a PDF.
    ///
    /// - Returns: false if there is none about this record.
    private func resolveInFile(_ session: LayerSession, _ resolution: ConflictResolution) async throws -> Bool {
        guard let link = session.own?.link,
            let conflict = try await link.report().conflicts.first(where: { $0.id.isExactly(id) })
        else { return false }
        try require(conflict.sides)
        let choice: FileResolution.Choice
        switch resolution {
        case .mine: choice = .mine
        case .theirs: choice = .theirs
        case .merged(let content):
            choice = .layer
            _ = try session.descriptor.update(id, content: content)
            try await session.deliverOrExplain([id], "not resolved")
        }
        do { _ = try await link.resolve(conflict, choice) } catch let refusal as EngineRefusal {
            throw CommandFailure("\(id): \(refusal.message)", refusal.problem == .decidedUnseen ? .conflict : .failed)
        }
        return true
    }

    private func require(_ sides: Conflict.Sides) throws {
        guard let seen, !seen.isExactly(sides.version) else { return }
        throw CommandFailure("\(id): \(EditError.resolvedUnseen)", .conflict)
    }

    private func resolution() async throws -> ConflictResolution {
        switch side {
        case .mine: .mine
        case .theirs: .theirs
        case nil: .merged(try await ContentFile.draft(content ?? "-").content)
        }
    }
}
