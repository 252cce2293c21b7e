import Annotations
import ArgumentParser
import FoundationEssentials
import Glibc
import Instant
import InstantCore
import PDFPages
import Screen
import SystemPackage

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
        let session = try await LayerSession.open(layer)
        try await session.synchronize()
        try await session.reading {
            guard let record = try session.descriptor.layer.record(id) else { throw session.noRecord(id) }
            let annotation = Annotation(record)
            guard annotation.kind == .file else {
                throw CommandFailure("\(id) is \(annotation.kind.withArticle), not an attached file", .usage)
            }
            let target = try NewPlainFile(output ?? SafeFileName.name(annotation.name ?? ""))
            try await save(record, session, to: target)
            try target.finish()
            Output.line(target.path)
        }
    }

    private func save(_ record: Record, _ session: LayerSession, to target: NewPlainFile) async throws {
        if let attachment = record.content.attachmentID {
            let data: Data
            do { data = try await session.descriptor.editableDocument.loadAttachment(attachment) } catch {
                throw CommandFailure(error)
            }
            return try target.write(Array(data))
        }
        let grant = try session.descriptor.layer.metadata().grant
        guard grant?.mayViewOriginalPDF == true else {
            throw CommandFailure(
                "this file is in the PDF as uploaded, which needs annotations:view:all, comments:view:all and "
                    + "form-fields:view:all", .notPermitted)
        }
        let isFound: Bool
        do {
            isFound = try await PDFTools().attachedFile(of: id, in: session.pdf(), to: target.descriptor)
        } catch let error as PDFError { throw CommandFailure("\(error)") }
        guard isFound else { throw CommandFailure("the PDF does not contain this file; it only names it") }
    }
}

/// A file that must not exist yet; removed unless it is finished.
private final class NewPlainFile {
    let path: String
    let descriptor: FileDescriptor
    private var isFinished = false

    /// - Throws: ``CommandFailure`` if it exists or cannot be created.
    init(_ path: String) throws {
        self.path = path
        do {
            descriptor = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch Errno.fileExists {
            throw CommandFailure("\(path) exists already; choose another name with --output")
        } catch { throw CommandFailure("cannot create \(path): \(error)") }
    }

    deinit {
        try? descriptor.close()
        if !isFinished { unlink(path) }
    }

    func write(_ bytes: [UInt8]) throws {
        do { try descriptor.writeAll(bytes) } catch { throw CommandFailure("cannot write \(path): \(error)") }
    }

    func finish() throws {
        guard fsync(descriptor.rawValue) == 0 else {
            throw CommandFailure("cannot write \(path): \(Errno(rawValue: errno))")
        }
        isFinished = true
    }
}
