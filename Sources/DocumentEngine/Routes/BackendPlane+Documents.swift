import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import SyncProtocol

extension BackendPlane {
    // MARK: Upload

    /// A PDF as the body itself, or as the part `file` of a form. `document_id`, `title` and
    /// `overwrite_existing_document` come in the query or as parts; a form may bring Instant JSON as `attachment`, whose
    /// records take the place of the PDF's own unless `keep_current_annotations` is `true`.
    func upload(_ exchange: Exchange) async throws -> Response {
        switch exchange.mediaType {
        case "application/pdf":
            let wish = Intake.Wish(
                id: exchange.query["document_id"], title: exchange.query["title"],
                overwrites: exchange.query["overwrite_existing_document"] == "true")
            try await intake.check(wish.id, wish)
            let upload = try intake.blobs.receive()
            try await exchange.receive(
                into: upload, upTo: intake.limit, else: "the PDF is larger than \(intake.limit) bytes")
            let (document, errors) = try await intake.store(upload, wish)
            return answer(document, errors: errors)
        case "multipart/form-data":
            let (upload, wish) = try await receiveForm(exchange)
            let (document, errors) = try await intake.store(upload, wish)
            return answer(document, errors: errors)
        default:
            throw Refusal(
                .badRequest, #"a PDF is sent as "application/pdf" or as the part "file" of "multipart/form-data""#)
        }
    }

    /// - Parameter errors: what was left out of the annotations that came with it.
    func answer(_ document: StoredDocument, errors: [String] = []) -> Response {
        .data {
            $0.object {
                $0.member("document_id", document.id)
                $0.member("title", document.title)
                $0.member("sourcePdfSha256", document.pdfSHA256)
                $0.member("password_protected", false)
                $0.member("createdAt", document.createdAt.iso8601)
                $0.key("errors")
                $0.array(errors) { json, error in json.object { $0.member("reason", error) } }
            }
        }
    }

    // MARK: One document

    func properties(_ id: String) async throws -> Response {
        let document = try await engine.read { try Self.document(id, in: $0) }
        return .data {
            $0.object {
                $0.member("title", document.title)
                $0.member("sourcePdfSha256", document.pdfSHA256)
                $0.member("byteSize", document.pdfBytes)
                $0.member("createdAt", document.createdAt.iso8601)
                $0.member("passwordProtected", false)
            }
        }
    }

    func info(_ id: String) async throws -> Response {
        let document = try await engine.read { try Self.document(id, in: $0) }
        return .data {
            $0.object {
                $0.member("pageCount", document.pages.count)
                $0.key("pages")
                $0.array(document.pages.enumerated()) { json, page in
                    json.object {
                        $0.member("pageIndex", page.offset)
                        $0.member("width", .number(JSONNumber(page.element.width)))
                        $0.member("height", .number(JSONNumber(page.element.height)))
                    }
                }
            }
        }
    }

    func deleteDocument(_ id: String) async throws -> Response {
        let now = engine.now()
        let (hash, layers) = try await engine.writes.perform { store in
            try store.hold(.document(id))
            let document = try Self.document(id, in: store)
            let layers = try store.layers(of: id).map(\.id)
            try store.removeDocument(id, at: now)
            return (document.pdfSHA256, layers)
        }
        for layer in layers {
            engine.end(layer, with: SessionEvent(.lost, reason: "the document was deleted"))
        }
        try await intake.removeBlob(hash)
        return .data { $0.object { $0.member("document_id", id) } }
    }
}
