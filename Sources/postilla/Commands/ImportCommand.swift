import Annotations
import ArgumentParser
import Authorization
import Instant
import InstantCore
import Interchange

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import annotations and comments from a file into a layer.",
        discussion: """
            The file is Instant JSON of a whole document, as written by export. Missing records are created, different \
            ones are changed, nothing is deleted. So a second import of the same file changes nothing. A record \
            without an id gets one derived from its content.

            The imported records become yours: the server sets creator and author. Records that the token does not \
            allow, that are invalid, or that were deleted in this layer before are skipped with a reason. A file that \
            cannot be read changes nothing.

            json and ndjson print one result for each record in the file: {"id","action":"create|update|unchanged|skip",\
            "status"?,"reason"?}; status as in add. --dry-run only reports the actions. A table omits unchanged \
            records.

            Exit codes: 4 a record was denied, 6 someone else's edit came first or the record was already deleted, 1 a \
            record is invalid; the first that applies.

            Examples:
              postilla import review.json --dry-run
              postilla export | postilla import - --token-file other-layer.jwt
            """)

    @Argument(help: ArgumentHelp("File to import; - is standard input.", valueName: "file"))
    var file: String

    @Flag(help: "Report the actions without changing anything.")
    var dryRun = false

    @Option(help: ArgumentHelp("Author of new annotations, if the token names none.", valueName: "name"))
    var author: String?

    @OptionGroup var listing: ListingOptions
    @OptionGroup var layer: LayerOptions

    private static let maxBytes = 512 << 20

    func run() async throws {
        let (session, file) = try await LayerSession.open(layer, reading: read)
        try await session.synchronize()
        do {
            let author = dryRun ? nil : try session.author(author)
            guard let grant = session.descriptor.status.grant else { throw EditError.noGrant }
            var planner = try ImportPlanner(session.descriptor, grant: grant)
            var report = ImportReport(listing, isDryRun: dryRun)
            for part in (file.annotations + file.comments).chunks(of: AddLines.atOnce) {
                let steps = try part.map { try planner.plan($0) }
                let outcomes = dryRun ? [:] : try await perform(steps, in: session, author: author)
                for step in steps { report.tell(step, outcomes[ByteOrdered(step.id)]) }
            }
            try report.end()
        } catch { throw CommandFailure(reading: error) }
    }

    private func read() async throws -> InstantJSONFile {
        do { return try await Self.file(file) } catch {
            throw CommandFailure(error.message + "; nothing imported", error.status)
        }
    }

    /// Reads Instant JSON from a file or from standard input.
    static func file(_ path: String) async throws(CommandFailure) -> InstantJSONFile {
        let bytes: [UInt8]
        do { bytes = try await ContentFile.read(path, limit: maxBytes) } catch {
            throw (error as? CommandFailure) ?? CommandFailure("\(error)")
        }
        do throws(JSONError) { return try InstantJSONFile(bytes) } catch {
            let name = path == "-" ? "standard input" : path
            throw CommandFailure("\(name):\(TextPlace(of: error.offset, in: bytes)): \(error.problem)")
        }
    }

    private func perform(
        _ steps: [ImportPlanner.Step], in session: LayerSession, author: String?
    ) async throws -> [ByteOrdered: EditOutcome] {
        var outcomes: [ByteOrdered: EditOutcome] = [:]
        var sent: [Record.ID] = []
        for step in steps {
            do {
                switch step.action {
                case .create:
                    let group = step.item.group.map(LayerMetadata.GroupChoice.init(group:))
                    _ = try session.descriptor.create(step.item.content, id: step.id, group: group, author: author)
                case .update: _ = try session.descriptor.update(step.id, content: step.item.content)
                case .unchanged, .skip: continue
                }
                sent.append(step.id)
            } catch let problem as EditError { outcomes[ByteOrdered(step.id)] = EditOutcome(problem) }
        }
        for (id, outcome) in zip(sent, try await session.deliver(sent)) { outcomes[ByteOrdered(id)] = outcome }
        // Failed records are still in the file.
        try session.dropFailed(sent)
        return outcomes
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min(count, $0 + size)] }
    }
}
