import Annotations
import ArgumentParser
import Crypto
import FoundationEssentials
import Instant
import InstantCore

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add annotations to a layer.",
        discussion: """
            Takes options, or reads JSON from --content FILE or standard input: {"id"?, "group"?, "content"}, or only \
            the content, which is Instant JSON. A missing author or time is filled in. Prints the id when the server \
            has accepted the record.

            With --ndjson, standard input has one record per line. Each line is answered by one line, in the same \
            order, when the server has accepted or rejected it:
              {"id":…,"status":"applied|conflict|denied|invalid","reason"?}
            Of a PDF, applied means that the record is kept on this machine; it is in the file when the command ends with 0.
            A rejected line stores nothing. If the server becomes unreachable, the status is "waiting": the \
            record is stored on this machine and sent by the next sync.

            Exit codes: 1 a record is invalid, 4 a record was denied, 5 the server is unreachable, 6 an id is taken; \
            the first of 4, 6 and 1 that applies.

            Examples:
              postilla add --note 'Which program?' --page 1 --at 72,100
              postilla add --file table.csv --page 1 --text 'The figures'
              postilla add --highlight --page 2 --rect 72,90,210,12 --text Agreed
              postilla add --content note.json
              postilla add --pdf paper.pdf --note 'Which program?' --page 1
              jq -c '.[]' notes.json | postilla add --ndjson
            """)

    @Argument(help: ArgumentHelp("Address of the server, or a PDF.", valueName: "server|file"))
    var target: String?

    @OptionGroup var new: NewAnnotationOptions

    @Option(
        help: ArgumentHelp("File with the record as JSON; - is standard input.", valueName: "file"), completion: .file()
    )
    var content: String?

    @Flag(help: "Read one record per line from standard input and print one result line for each.")
    var ndjson = false

    @Option(help: ArgumentHelp("Group of new records (default: the token's).", valueName: "name"))
    var group: String?

    @Option(help: ArgumentHelp("Author of new annotations, if the token names none.", valueName: "name"))
    var author: String?

    @OptionGroup var dry: DryRunOption
    @OptionGroup var layer: LayerOptions

    func validate() throws {
        if dry.dryRun, ndjson { throw ValidationError("--ndjson makes no plan; leave out --dry-run.") }
        if let note = new.note, note.trimmed.isEmpty {
            throw ValidationError("--note needs a text.")
        }
        let sources = [new.note != nil || new.mark != nil || new.file != nil, content != nil, ndjson].count { $0 }
        guard sources <= 1 else {
            throw ValidationError("Use only one of --note (or a mark), --content and --ndjson.")
        }
        guard sources == 1 || !StandardInput.isTerminal else {
            throw ValidationError(
                "Nothing to add. Use --note TEXT --page N, --file PATH --page N, --content FILE or --ndjson.")
        }
    }

    func run() async throws {
        let (session, draft) = try await LayerSession.open(layer, target: target, reading: draft)
        try await session.synchronize()
        do {
            let author = try session.author(author)
            if dry.dryRun { return try plan(draft, session) }
            if let path = new.file {
                try await add(attach(path, to: session), author: author, to: session)
            } else if let draft {
                try await add(draft, author: author, to: session)
            } else {
                try await session.answeringLines {
                    try await AddLines(session: session, author: author, group: group).run()
                    try await session.finish()
                }
            }
        } catch { throw CommandFailure(reading: error) }
    }

    /// Returns the record to add, or nil when records are read line by line.
    private func draft() async throws -> RecordInput? {
        guard !ndjson, new.file == nil else { return nil }
        var draft =
            if let described = new.content { RecordInput(content: described) } else {
                try await ContentFile.draft(content ?? "-")
            }
        if let group, draft.group == nil { draft.group = group }
        return draft
    }

    private func plan(_ draft: RecordInput?, _ session: LayerSession) throws {
        var run = try DryRun(session)
        if let path = new.file {
            let bytes = try RegularFile(path).bytes()
            let id = AttachmentID(SHA256.hash(data: bytes).hexadecimal)
            guard let id else { throw CommandFailure("\(path) has no hash") }
            run.attach(id, bytes)
            let draft = file(path, id, bytes.count)
            try run.put(draft.content, group: draft.group)
        } else if let draft {
            try run.put(draft.content, id: draft.id, group: draft.group)
        }
        run.write()
    }

    private func file(_ path: String, _ id: AttachmentID, _ size: Int) -> RecordInput {
        let content = Content.file(
            onPage: new.page?.index ?? 0, at: new.at?.point ?? Point(x: 72, y: 72), attachment: id,
            name: SafeFileName.name(path), size: Int64(size), text: new.text ?? "")
        var draft = RecordInput(content: content)
        if let group { draft.group = group }
        return draft
    }

    /// Stores the file, to be sent before the record that names it.
    private func attach(_ path: String, to session: LayerSession) throws -> RecordInput {
        let data = Data(try RegularFile(path).bytes())
        let id: AttachmentID
        do throws(InstantError) { id = try session.descriptor.editableDocument.addAttachment(data) } catch {
            throw CommandFailure(error)
        }
        return file(path, id, data.count)
    }

    private func add(_ draft: RecordInput, author: String?, to session: LayerSession) async throws {
        try session.warnIfHidden(draft.content, group: draft.group)
        let added = try session.descriptor.add(draft, author: author)
        var outcome = added.outcome
        if let id = added.waiting {
            outcome = try await session.naming(id) { try await session.deliver([id]).first }
            try session.dropFailed([id])
        }
        guard let id = added.id, let outcome, outcome.exit == .done else {
            throw CommandFailure("not added: \(why(outcome))", outcome?.exit ?? .failed)
        }
        try await session.finish(having: id)
        if outcome == .waiting { LayerSession.tellThatItWaits() }
    }

    /// Describes the failure in terms of `--page`, which counts from 1.
    private func why(_ outcome: EditOutcome?) -> String {
        if let page = new.page, outcome?.reason == InvalidContent.badPageIndex.description {
            return "the document has no page \(page.index + 1)"
        }
        return outcome?.reason ?? "the server returned no result"
    }
}
