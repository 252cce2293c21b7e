import Annotations
import App
import ArgumentParser
import Instant
import InstantCore

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an annotation or a comment.",
        discussion: """
            --text replaces its words and keeps the formatting around those that stay; --content replaces all of its \
            Instant JSON: what is left out there is gone, author and group stay. On a terminal without either, $VISUAL \
            or $EDITOR opens on the text.

            An edit that someone else was faster than is a conflict (exit 6): nothing is lost, see postilla conflicts. \
            One that is not allowed is not made (exit 4).

            Examples:
              postilla edit 01HV60ME365HS69FVQ1CE6PK2G --text 'Which program, and when?'
              postilla show ID --format ndjson | jq '.content.color = "#ff0000"' |
                postilla edit ID --content -
            """)

    @Argument(help: ArgumentHelp("Its id, as list writes it.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("The new text.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("A file with the new content as JSON; - is standard input.", valueName: "file"))
    var content: String?

    @OptionGroup var layer: LayerOptions

    func validate() throws {
        guard text == nil || content == nil else { throw ValidationError("Either --text or --content, not both.") }
        guard text != nil || content != nil || (StandardInput.isTerminal && Output.isTerminal) else {
            throw ValidationError("How is it to change? Give --text TEXT or --content FILE.")
        }
    }

    func run() async throws {
        let (session, given) = try await LayerSession.open(layer, reading: whole)
        try await session.synchronize()
        do {
            guard let record = try session.descriptor.layer.record(id) else {
                throw CommandFailure("there is no annotation \(id) in this layer")
            }
            guard let content = try given ?? changed(record, in: session) else {
                return Output.message("nothing was changed")
            }
            _ = try session.descriptor.update(id, content: content)
            try await session.deliverOrExplain([id], "not changed")
        } catch { throw CommandFailure(reading: error) }
    }

    /// What --content holds.
    private func whole() async throws -> Content? {
        guard let content else { return nil }
        return try await ContentFile.draft(content).content
    }

    /// nil when the text is as it was.
    private func changed(_ record: Record, in session: LayerSession) throws -> Content? {
        let old = Annotation(record).text
        guard let new = try text ?? edited(old), !new.isExactly(old) else { return nil }
        return try record.content.replacingText(with: new)
    }

    private func edited(_ old: String) throws -> String? {
        guard let editor = ExternalEditor(try Preferences.use()) else {
            throw CommandFailure("give --text TEXT, or set VISUAL or EDITOR to the editor you like", .usage)
        }
        let folder = try Folders(dataDirectory: layer.server.dataDir).state
        try Folders.make(folder)
        guard let new = try editor.edit(old, in: folder) else { throw CommandFailure("the editor failed") }
        return new.trimmed.isEmpty ? nil : new
    }
}
