import Annotations
import ArgumentParser
import Instant
import InstantCore

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add annotations to a layer.",
        discussion: """
            From options, or as JSON from --content FILE or standard input: {"id"?, "group"?, "content"}, or the content \
            alone, which is Instant JSON. What is left out of the content is stamped: author and times. Prints the id \
            once the server has it.

            With --ndjson standard input holds one record a line, and each line is answered by one line in the same \
            order, once the server has it or has refused it:
              {"id":…,"status":"applied|conflict|denied|invalid","reason"?}
            A line that was refused leaves nothing behind. Where the server gets out of reach, the status is "waiting": \
            the record is kept here and sent by the next sync.

            Exit codes: 1 a record is invalid, 4 one was denied, 5 the server is unreachable, 6 an id is taken; the \
            first of 4, 6 and 1 that applies.

            Examples:
              postilla add --note 'Which program?' --page 1 --at 72,100
              postilla add --highlight --page 2 --rect 72,90,210,12 --text Agreed
              postilla add --content note.json
              jq -c '.[]' notes.json | postilla add --ndjson
            """)

    @OptionGroup var new: NewAnnotationOptions

    @Option(help: ArgumentHelp("A file with the record as JSON; - is standard input.", valueName: "file"))
    var content: String?

    @Flag(help: "Read one record a line from standard input, answer one line each.")
    var ndjson = false

    @Option(help: ArgumentHelp("The group of new records; without it the token's default.", valueName: "name"))
    var group: String?

    @Option(help: ArgumentHelp("Your name on new annotations, for tokens that name none.", valueName: "name"))
    var author: String?

    @OptionGroup var layer: LayerOptions

    func validate() throws {
        let sources = [new.note != nil || new.mark != nil, content != nil, ndjson].count { $0 }
        guard sources <= 1 else { throw ValidationError("Give options, --content or --ndjson: one of them.") }
        guard sources == 1 || !StandardInput.isTerminal else {
            throw ValidationError("What is to be added? Give --note TEXT --page N, --content FILE or --ndjson.")
        }
    }

    func run() async throws {
        let (session, draft) = try await LayerSession.open(layer, reading: draft)
        try await session.synchronize()
        do {
            let author = try session.author(author)
            if let draft {
                try await add(draft, author: author, to: session)
            } else {
                try await AddLines(session: session, author: author, group: group).run()
            }
        } catch { throw CommandFailure(reading: error) }
    }

    /// nil when records come line by line.
    private func draft() async throws -> RecordInput? {
        guard !ndjson else { return nil }
        var draft =
            if let described = new.content { RecordInput(content: described) } else {
                try await ContentFile.draft(content ?? "-")
            }
        if let group, draft.group == nil { draft.group = group }
        return draft
    }

    private func add(_ draft: RecordInput, author: String?, to session: LayerSession) async throws {
        let added = try session.descriptor.add(draft, author: author)
        var outcome = added.outcome
        if let id = added.waiting {
            outcome = try await session.deliver([id]).first
            try session.dropFailed([id])
        }
        guard let id = added.id, let outcome, outcome.exit == .done else {
            throw CommandFailure("not added: \(why(outcome))", outcome?.exit ?? .failed)
        }
        Output.line(id)
        if outcome == .waiting { LayerSession.tellThatItWaits() }
    }

    /// In the words of who gave --page, which counts from 1.
    private func why(_ outcome: EditOutcome?) -> String {
        if let page = new.page, outcome?.reason == InvalidContent.badPageIndex.description {
            return "the document has no page \(page.index + 1)"
        }
        return outcome?.reason ?? "it has no id"
    }
}
