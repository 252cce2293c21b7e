import Annotations
import EngineCore
import Hummingbird
import PDFPages
import SyncProtocol

/// The PDF: as it was uploaded, or with the annotations of a layer in it.
extension BackendPlane {
    func pdf(_ key: LayerKey, _ exchange: Exchange) async throws -> Response {
        let document = try await engine.read { try Self.document(key.document, in: $0) }
        guard exchange.query["source"] != "true" else {
            return try await .file(
                intake.blobs.opened(document.pdfSHA256), sha256: document.pdfSHA256, type: "application/pdf", exchange)
        }
        _ = try await engine.read { try Self.layer(key, in: $0) }
        let target = try intake.blobs.receive()
        do {
            try await intake.work.perform { try await annotate(document, key, into: target.path) }
        } catch let error as PDFError { throw error.refusal }
        // Open it stays readable when its name is taken away with the upload.
        return .made(try OpenFile(path: target.path), type: "application/pdf")
    }

    private func annotate(_ document: StoredDocument, _ key: LayerKey, into target: String) async throws {
        let notes = try intake.blobs.receive()
        defer { withExtendedLifetime(notes) {} }
        guard let path = intake.blobs.path(of: document.pdfSHA256) else {
            let copy = try await intake.blobs.copied(document.pdfSHA256)
            defer { withExtendedLifetime(copy) {} }
            return try await annotate(copy.path, key, into: target, notes: notes.path)
        }
        try await annotate(path, key, into: target, notes: notes.path)
    }

    private func annotate(_ path: String, _ key: LayerKey, into target: String, notes: String) async throws {
        try await intake.tools.annotate(path, into: target, notes: notes) { annotated in
            var last: Record.ID?
            repeat {
                let part = try await replies(of: key, after: last, limit: Self.rows)
                for entry in part.entries {
                    var image: [UInt8]?
                    if let id = entry.record.content.attachmentID {
                        image = try await attachments.bytes(of: id, in: key.document)
                    }
                    try annotated.add(entry.record, under: entry.root, image: image)
                }
                last = part.next
            } while last != nil
        }
    }
}
