import Annotations
import ArgumentParser
import Authorization
import FoundationEssentials
import Instant
import InstantCore
import Interchange
import Screen

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import annotations and comments from a file into a layer.",
        discussion: """
            The file is Instant JSON as written by export, XFDF, FDF, or an annotated copy of the layer's PDF. Missing \
            records are created, different ones are changed, nothing is deleted. So a second import of the same file \
            changes nothing. A record without an id gets one derived from its content. Annotations of a copy are found \
            again by their number, by their name or because they are equal; a copy that seems to be of another document \
            causes a warning.

            The imported records become yours: the server sets creator and author. Records that the token does not \
            allow, that are invalid, or that were deleted in this layer before are skipped with a reason, and so is \
            what a layer cannot hold. A file that cannot be read changes nothing.

            json and ndjson print one result for each record in the file: {"id","action":"create|update|unchanged|skip",\
            "status"?,"reason"?}; status as in add. A result with the action incomplete names what is missing in a \
            record. --dry-run only reports the actions. A table omits unchanged records.

            Exit codes: 4 a record was denied, 6 someone else's edit came first or the record was already deleted, 1 a \
            record or another part of the file cannot be imported; the first that applies.

            Examples:
              postilla import review.json --dry-run
              postilla import review.json --plan plan && postilla apply plan
              postilla import reviewed-in-another-program.pdf
              postilla export | postilla import - --token-file other-layer.jwt
            """)

    @Argument(help: ArgumentHelp("File to import; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Report the actions without changing anything.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Change nothing; write a plan of the changes to this file, for postilla apply. Not with a PDF.",
            valueName: "file"),
        completion: .file())
    var plan: String?

    @Option(help: ArgumentHelp("Author of new annotations, if the token names none.", valueName: "name"))
    var author: String?

    @OptionGroup var listing: ListingOptions
    @OptionGroup var layer: LayerOptions

    func run() async throws {
        try OwnFileSession.check(output: plan, layer)
        if let plan, file != "-", OwnFileSession.isSame(plan, file) {
            throw CommandFailure(
                "\(plan.onOneLine) is the file to import, which the plan would replace; name another file", .usage)
        }
        let (session, file) = try await LayerSession.open(layer, reading: read)
        try await session.synchronize()
        do {
            let dryRun = dryRun || plan != nil
            var run = plan == nil ? nil : try DryRun(session)
            let author = dryRun ? nil : try session.author(author)
            guard let grant = session.descriptor.status.grant else { throw EditError.noGrant }
            var planner = try ImportPlanner(session.descriptor, grant: grant)
            if dryRun { planner.deleted = try await session.deletedIDs() }
            var report = try ImportReport(listing, isDryRun: dryRun)
            let found = try await session.records(of: file)
            if let warning = found.warning { Output.message("warning: \(warning); it may be another document") }
            // Of a PDF, nothing is applied before it is written.
            var untold: [(step: ImportPlanner.Step, outcome: EditOutcome?)] = []
            for part in found.items.chunks(of: AddLines.atOnce) {
                let steps = try part.map { try planner.plan($0) }
                if !dryRun { try session.descriptor.add(found.attachments, for: steps) }
                let outcomes: [ByteOrdered: EditOutcome]
                do { outcomes = dryRun ? [:] : try await session.perform(steps, author: author) } catch let unconfirmed
                    as UnconfirmedSteps
                {
                    // Who imports the file again should know which records are stored.
                    for step in steps { report.tell(step, unconfirmed.outcomes[ByteOrdered(step.id)]) }
                    try? report.end()
                    throw unconfirmed.failure
                }
                for step in steps {
                    let outcome = outcomes[ByteOrdered(step.id)]
                    if session.own == nil || dryRun {
                        report.tell(step, outcome)
                    } else {
                        untold.append((step, outcome))
                    }
                    try run?.add(step, found.attachments)
                }
            }
            if let plan, let run {
                let file = try NewFile(replacing: plan)
                try file.write(PrintableText(json: run.text))
                try file.finish()
            }
            func end(isWritten: Bool) throws {
                for (step, outcome) in untold { report.tell(step, outcome?.kept(isWritten: isWritten)) }
                for problem in found.problems { report.tell(problem) }
                try report.end()
            }
            if dryRun { try end(isWritten: true) } else { try await session.finish(andReport: end) }
        } catch { throw CommandFailure(reading: error) }
    }

    private func read() async throws -> ImportFile {
        do { return try await ImportFile.read(file) } catch let error as CommandFailure {
            throw CommandFailure(error.message + "; nothing imported", error.status)
        }
    }

    /// Reads Instant JSON from a file or from standard input.
    static func file(_ path: String) async throws(CommandFailure) -> InstantJSONFile {
        let bytes: [UInt8]
        do { bytes = try await ContentFile.read(path, limit: ImportFile.maxBytes) } catch {
            throw (error as? CommandFailure) ?? CommandFailure("\(error)")
        }
        return try ImportFile.instantJSON(bytes, path == "-" ? "standard input" : path)
    }
}
