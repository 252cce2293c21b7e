import Annotations
import App
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

    private func save(_ id: Record.ID) async throws -> String {
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
            return try await AttachedFile.save(record, from: source)
        }
        let stored = try layer.descriptor.layer
        guard let record = try stored.record(id) else { throw CommandFailure("the annotation no longer exists") }
        let document = layer.descriptor.readOnlyDocument()
        let source = AttachedFile.Source(
            grant: try stored.metadata().grant, isLocal: false,
            attachment: { try await Array(document.loadAttachment($0)) }, pdf: path)
        return try await AttachedFile.save(record, from: source)
    }
}
