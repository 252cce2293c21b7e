import Annotations
import ArgumentParser
import FoundationEssentials
import Instant
import InstantCore
import Screen

struct SaveFileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save-file", abstract: "Save an attached file to disk.",
        discussion: """
            Takes the id of an attached file, from list --kind attached-file. The file is written to the current \
            folder under its own name, without any folder in that name, or to --output. An existing file is never \
            replaced. Prints the path.

            A file that came with the PDF is read from the PDF as uploaded. A token that may not view everything in the \
            PDF does not get it: exit code 4.

            Examples:
              postilla save-file 20
              postilla save-file 20 --output table.csv
            """)

    @Argument(help: ArgumentHelp("Id of the attached file, from list.", valueName: "id"))
    var id: String

    @Option(
        name: [.short, .long], help: ArgumentHelp("Path of the new file.", valueName: "file"), completion: .file())
    var output: String?

    @OptionGroup var layer: LayerOptions

    func run() async throws {
        try OwnFileSession.check(output: output, layer)
        let session = try await LayerSession.open(layer, reads: true)
        try await session.synchronize()
        try await session.reading {
            let id = try session.id(of: id)
            guard let record = try session.descriptor.layer.record(id) else { throw session.noRecord(id) }
            let descriptor = session.descriptor
            let source = AttachedFile.Source(
                grant: try descriptor.layer.metadata().grant, isLocal: false,
                attachment: { try await Array(descriptor.editableDocument.loadAttachment($0)) },
                pdf: { try await session.pdf() })
            Output.line(try await AttachedFile.save(record, from: source, to: output))
        }
    }
}
