import Annotations
import App
import FoundationEssentials
import Instant
import InstantCore

extension OpenTab {
    /// Saves an attached file to the current folder, and posts its name.
    func saveFile(_ id: Record.ID) {
        Task { [self] in
            do {
                post(.notice("Saved \(try await save(id))"))
            } catch {
                post(.notice("Not saved: \((error as? CommandFailure)?.message ?? "\(error)")"))
            }
        }
    }

    /// For larger files there is `postilla add --file`.
    private static let maxAttachedBytes = 64 << 20

    /// Stores a file for an annotation, and posts the annotation's content.
    func attach(_ path: String, page: Int, corner: Point) {
        call { [self] layer in
            do {
                let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
                // A pipe or a device could keep the viewer waiting.
                guard kind == nil || kind == .typeRegular || kind == .typeSymbolicLink else {
                    throw CommandFailure("\(path) is not a file")
                }
                let data = Data(try PrivateFile.bytes(path, limit: Self.maxAttachedBytes))
                let id = try layer.descriptor.editableDocument.addAttachment(data)
                let content = Content.file(
                    onPage: page, at: corner, attachment: id, name: SafeFileName.name(path), size: Int64(data.count))
                post(.attached(content))
            } catch {
                post(.notice("Not attached: \((error as? CommandFailure)?.message ?? "\(error)")"))
            }
        }
    }

    /// - Returns: the name, which no other file had.
    private func save(_ id: Record.ID) async throws -> String {
        @Sendable func name(of record: Record) -> String {
            SafeFileName.free(SafeFileName.name(Annotation(record).name ?? ""))
        }
        let pages = pages
        @Sendable func path() throws -> String {
            guard let pages else { throw CommandFailure("the PDF is not downloaded yet") }
            return pages.file
        }
        guard let layer else {
            guard let record = try local?.record(id) else { throw CommandFailure("the annotation no longer exists") }
            let source = AttachedFile.Source(
                grant: nil, isLocal: true, attachment: { _ in throw CommandFailure("the file is not in the PDF") },
                pdf: path)
            return try await AttachedFile.save(record, from: source, to: name(of: record))
        }
        let stored = try layer.descriptor.layer
        guard let record = try stored.record(id) else { throw CommandFailure("the annotation no longer exists") }
        let document = layer.descriptor.readOnlyDocument()
        let source = AttachedFile.Source(
            grant: try stored.metadata().grant, isLocal: false,
            attachment: { try await Array(document.loadAttachment($0)) }, pdf: path)
        return try await AttachedFile.save(record, from: source, to: name(of: record))
    }
}
