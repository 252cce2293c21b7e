import Annotations
import App
import ArgumentParser
import Instant
import InstantCore

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an annotation or a comment.",
        discussion: """
            --text replaces the text and keeps the formatting of unchanged words. --content replaces the whole Instant \
            JSON: members that are missing are removed; the author and group are kept. Without either, on a terminal, \
            the text opens in $VISUAL or $EDITOR.

            If someone else's edit came first, the edit becomes a conflict (exit 6) and nothing is lost; see postilla \
            conflicts. An edit that is not permitted fails (exit 4).

            Examples:
              postilla edit 01HV60ME365HS69FVQ1CE6PK2G --text 'Which program, and when?'
              postilla show ID --format ndjson | jq '.content.color = "#ff0000"' |
                postilla edit ID --content -
            """)

    @Argument(help: ArgumentHelp("Id of the annotation or comment, from list.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("New text.", valueName: "text"))
    var text: String?

    @Option(
        help: ArgumentHelp("File with the new content as JSON; - is standard input.", valueName: "file"),
        completion: .file())
    var content: String?

    @OptionGroup var layer: LayerOptions

    func validate() throws {
        guard text == nil || content == nil else { throw ValidationError("Use either --text or --content, not both.") }
        guard text != nil || content != nil || (StandardInput.isTerminal && Output.isTerminal) else {
            throw ValidationError("No change given. Use --text TEXT or --content FILE.")
        }
    }

    func run() async throws {
        let (session, given) = try await LayerSession.open(layer, reading: whole)
        try await session.synchronize()
        do {
            guard let record = try session.descriptor.layer.record(id) else {
                throw session.noRecord(id)
            }
            guard let content = try given ?? changed(record, in: session) else {
                return Output.message("no changes")
            }
            _ = try session.descriptor.update(id, content: content)
            try await session.deliverOrExplain([id], "not changed")
            try await session.finish()
        } catch { throw CommandFailure(reading: error) }
    }

    /// Returns the content given with `--content`.
    private func whole() async throws -> Content? {
        guard let content else { return nil }
        return try await ContentFile.draft(content).content
    }

    /// Returns nil when the text is unchanged.
    private func changed(_ record: Record, in session: LayerSession) throws -> Content? {
        let old = Annotation(record).text
        guard let new = try text ?? edited(old), !new.isExactly(old) else { return nil }
        return try record.content.replacingText(with: new)
    }

    private func edited(_ old: String) throws -> String? {
        guard let editor = ExternalEditor(try Preferences.use()) else {
            throw CommandFailure("no editor; use --text TEXT, or set VISUAL or EDITOR", .usage)
        }
        let folder = try Folders(dataDirectory: layer.server.dataDir).state
        try Folders.make(folder)
        guard let new = try editor.edit(old, in: folder) else {
            throw CommandFailure("the editor exited with an error; nothing was changed")
        }
        return new.trimmed.isEmpty ? nil : new
    }
}
