import Annotations
import ArgumentParser
import Instant
import InstantCore

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Set the state of an annotation.",
        discussion: """
            A state is a reply of the person who sets it, and of each person the newest one counts. An annotation is \
            resolved when the newest state is accepted, rejected, cancelled or completed; none takes a state back. marked \
            and unmarked are a check mark of one's own. Needs the right to reply. Prints the id of the reply when the \
            server has accepted it.

            Examples:
              postilla state 01HV60ME365HS69FVQ1CE6PK2G accepted
              postilla list --open --format tsv | cut -f 1
            """)

    @Argument(help: ArgumentHelp("Id of the annotation, or of a comment in its thread.", valueName: "id"))
    var id: String

    @Argument(help: "The state.")
    var state: AnnotationState

    @Option(help: ArgumentHelp("Author of the reply, if the token names none.", valueName: "name"))
    var author: String?

    @OptionGroup var dry: DryRunOption
    @OptionGroup var layer: LayerOptions

    func run() async throws {
        let session = try await LayerSession.open(layer)
        try await session.synchronize()
        do {
            let id = try session.id(of: id)
            guard let record = try session.descriptor.layer.record(id) else {
                throw CommandFailure("no annotation \(id) in this layer")
            }
            let root = record.content["rootId"]?.string ?? id
            try session.warnIfHidden(.state(state, under: root, record.content))
            if dry.dryRun {
                var run = try DryRun(session)
                try run.put(.state(state, under: root, record.content))
                return run.write()
            }
            let receipt = try session.descriptor.setState(state, of: root, author: try session.author(author))
            try await session.naming(receipt.id) { try await session.deliverOrExplain([receipt.id], "not set") }
            try await session.finish(having: receipt.id)
        } catch { throw CommandFailure(reading: error) }
    }
}
