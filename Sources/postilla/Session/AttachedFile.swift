import Annotations
import Authorization
import DocumentEngine
import Glibc
import Instant
import PDFPages
import SystemPackage

/// Saving the file of a file attachment to disk, for the command and the viewer.
enum AttachedFile {
    /// Where the bytes come from.
    struct Source: Sendable {
        /// The grant of the token; nil without one.
        var grant: Grant?
        /// Whether the PDF was opened from disk, without a layer.
        var isLocal: Bool
        var attachment: @Sendable (AttachmentID) async throws -> [UInt8]
        /// The path of the PDF.
        var pdf: @Sendable () async throws -> String
    }

    /// Saves a file under a name that does not exist yet.
    ///
    /// - Parameter path: nil for the file's own name, in the current folder.
    /// - Returns: the path.
    /// - Throws: ``CommandFailure``
    static func save(_ record: Record, from source: Source, to path: String? = nil) async throws -> String {
        let annotation = Annotation(record)
        guard annotation.kind == .file else {
            throw CommandFailure("\(record.id) is \(annotation.kind.withArticle), not an attached file", .usage)
        }
        let target = try NewPlainFile(path ?? SafeFileName.name(annotation.name ?? ""))
        do {
            if let id = record.content.attachmentID {
                try target.write(try await source.attachment(id))
            } else {
                try await readPDF(record.id, source, to: target)
            }
        } catch let error as PDFError { throw CommandFailure("\(error)") } catch {
            throw CommandFailure(reading: error)
        }
        try target.finish()
        return target.path
    }

    private static func readPDF(_ id: Record.ID, _ source: Source, to target: NewPlainFile) async throws {
        guard source.isLocal || source.grant?.mayViewOriginalPDF == true else {
            throw CommandFailure(
                "this file is in the PDF as uploaded, which needs annotations:view:all, comments:view:all and "
                    + "form-fields:view:all", .notPermitted)
        }
        guard try await PDFTools().attachedFile(of: id, in: source.pdf(), to: target.descriptor) else {
            throw CommandFailure("the PDF does not contain this file; it only names it")
        }
    }
}

/// A file that must not exist yet; removed unless it is finished.
private final class NewPlainFile {
    let path: String
    let descriptor: FileDescriptor
    private let place: FilePlace
    private var isFinished = false

    /// - Throws: ``CommandFailure`` if it exists or cannot be created.
    init(_ path: String) throws {
        self.path = path
        do throws(FilePlace.Problem) { place = try FilePlace(of: path, keepsLast: true) } catch {
            throw CommandFailure("cannot create \(path): \(error.reason)")
        }
        do {
            descriptor = try FileDescriptor.open(
                FilePath(place.here), .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch Errno.fileExists {
            throw CommandFailure("\(path) exists already; choose another name with --output")
        } catch { throw CommandFailure("cannot create \(path): \(error)") }
    }

    deinit {
        try? descriptor.close()
        if !isFinished { unlink(place.here) }
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
