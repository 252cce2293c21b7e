import Annotations
import ArgumentParser
import Instant
import InstantCore

struct ReplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reply", abstract: "Reply to an annotation.",
        discussion: """
            Threads are flat: a reply to a comment goes under its annotation. Without --text the text is read from \
            standard input until end of file. Prints the comment's id when the server has accepted it. If the \
            annotation has since been deleted, the text is stored as a conflict (exit 6, see postilla conflicts).

            Examples:
              postilla reply 01HV60ME365HS69FVQ1CE6PK2G --text 'Agreed.'
              git log -1 --format=%B | postilla reply 01HV60ME365HS69FVQ1CE6PK2G
            """)

    @Argument(help: ArgumentHelp("Id of the annotation, or of a comment in its thread.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("Text of the comment.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("Author of the comment, if the token names none.", valueName: "name"))
    var author: String?

    @OptionGroup var dry: DryRunOption
    @OptionGroup var layer: LayerOptions

    func validate() throws {
        if let text, text.isBlank { throw ValidationError("A reply needs a text.") }
        guard text != nil || !StandardInput.isTerminal else { throw ValidationError("Missing text. Use --text TEXT.") }
    }

    func run() async throws {
        let (session, text) = try await LayerSession.open(layer, reading: words)
        try await session.synchronize()
        do {
            let id = try session.id(of: id)
            guard let record = try session.descriptor.layer.record(id) else {
                throw CommandFailure("no annotation \(id) in this layer")
            }
            try session.warnIfHidden(.comment(.plain(text), under: record.id, record.content))
            if dry.dryRun {
                var run = try DryRun(session)
                let root = record.content["rootId"]?.string ?? id
                try run.put(.comment(.plain(text), under: root, record.content))
                return run.write()
            }
            let receipt = try session.descriptor.reply(
                to: record.content["rootId"]?.string ?? id, .plain(text), author: try session.author(author))
            try await session.naming(receipt.id) { try await session.deliverOrExplain([receipt.id], "not added") }
            try await session.finish(having: receipt.id)
        } catch { throw CommandFailure(reading: error) }
    }

    private func words() async throws -> String {
        if let text { return text }
        let bytes = try await StandardInput.shared.all(limit: Content.maximumBytes)
        guard let text = String(validating: bytes, as: UTF8.self)?.trimmed, !text.isEmpty else {
            throw CommandFailure("a comment needs text: standard input is empty", .usage)
        }
        return text
    }
}
