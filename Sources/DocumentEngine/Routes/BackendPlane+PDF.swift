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
        // For the result, and for what has to be remembered until the end.
        let (target, notes) = (try intake.blobs.receive(), try intake.blobs.receive())
        defer { withExtendedLifetime((target, notes)) {} }
        do {
            try await intake.work.perform {
                try await intake.blobs.withFile(document.pdfSHA256) { path in
                    try await annotate(path, key, into: target.path, notes: notes.path)
                }
            }
        } catch let error as PDFError { throw error.refusal }
        // Open it stays readable when its name is taken away.
        return .made(try OpenFile(path: target.path), type: "application/pdf")
    }

    private func annotate(_ path: String, _ key: LayerKey, into target: String, notes: String) async throws {
        try await intake.tools.annotate(path, into: target, notes: notes) { annotated in
            try await eachPart(of: key, Self.withRoot) { part in
                for entry in part {
                    var image: [UInt8]?
                    if let id = entry.record.content.attachmentID {
                        image = try await attachments.bytes(of: id, in: key.document)
                    }
                    try annotated.add(entry.record, under: entry.root, image: image)
                }
            }
        }
    }
}
