import Annotations
import EngineCore
import Hummingbird
import SyncProtocol

/// A record sent together with the file it shows: a form with the part `annotation` and a part for the file.
extension BackendPlane {
    /// What a request says of one record, whether it comes as JSON or as a form with its file. The file is kept under
    /// its SHA-256; a content that names no attachment, or names the part, gets that name.
    func recordBody(_ key: LayerKey, _ exchange: Exchange) async throws -> JSON {
        guard exchange.mediaType == "multipart/form-data" else {
            return try await exchange.json(upTo: engine.limits.batchBytes)
        }
        _ = try await engine.read { try Self.document(key.document, in: $0) }
        let form = try await IncomingForm.read(
            exchange,
            IncomingForm.Rules(
                isFile: { $0.name != "annotation" && $0.fileName != nil },
                fieldLimit: { [limits = engine.limits] in $0 == "annotation" ? limits.recordBytes + 4096 : 4096 },
                fileLimit: attachments.limit, receive: attachments.blobs.receive))
        guard let bytes = form["annotation"] else {
            throw Refusal(.badRequest, #"the form has no part "annotation" with the record"#)
        }
        let body = try Exchange.json(bytes)
        guard let file = form.files.first else { return body }
        guard form.files.count == 1 else { throw Refusal(.badRequest, "a record has one attachment: send one file") }
        let id = try await attachments.keep(try file.upload.finish(), of: key.document)
        return Self.naming(id, sentAs: file.name, in: body)
    }

    private static func naming(_ id: AttachmentID, sentAs part: String, in body: JSON) -> JSON {
        guard var record = body.object, var content = record["content"]?.object else { return body }
        let named = content["imageAttachmentId"]?.string
        guard named == nil || named.isExactly(part) else { return body }
        content["imageAttachmentId"] = .string(id.hex)
        record["content"] = .object(content)
        return .object(record)
    }
}
