import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import Interchange
import PDFPages
import SyncProtocol

extension BackendAPI {
    // MARK: Upload

    /// The maximum size of a PDF and the other parts of its form, in bytes.
    var uploadBytes: Int64 { intake.limit + Self.annotationFormBytes }

    /// Accepts a PDF as the body or as the part `file` of a form. `document_id`, `title` and
    /// `overwrite_existing_document` are in the query or are parts. A form may have an annotation file as `attachment`,
    /// whose records replace the PDF's own unless `keep_current_annotations` is `true`.
    func upload(_ request: ServerRequest) async throws -> Response {
        switch request.mediaType {
        case "application/pdf":
            let wish = PDFIntake.Options(
                id: request.query["document_id"], title: request.query["title"],
                overwrites: request.query["overwrite_existing_document"] == "true")
            request.audit?.add { $0.document = wish.id }
            try await intake.check(wish.id, wish)
            let upload = try intake.blobs.receive()
            try await request.receive(
                into: upload, upTo: intake.limit, else: "the PDF is larger than \(intake.limit) bytes")
            return try await store(upload, wish, request)
        case "multipart/form-data":
            let (upload, wish) = try await receiveForm(request)
            return try await store(upload, wish, request)
        default:
            throw APIError(
                .badRequest, #"send the PDF as "application/pdf" or as the part "file" of "multipart/form-data""#)
        }
    }

    private func store(
        _ upload: Upload, _ wish: PDFIntake.Options, _ request: ServerRequest
    ) async throws -> Response {
        request.audit?.add { $0.document = wish.id }
        let (document, errors) = try await intake.store(upload, wish)
        try await engine.waitForTokens(for: .whole(document.id))
        request.audit?.add { $0.document = document.id }
        return answer(document, errors: errors)
    }

    /// - Parameter errors: what was left out of the supplied annotations.
    func answer(_ document: ServerDocument, errors: [String] = []) -> Response {
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
        let (document, layers) = try await engine.writes.perform { store in
            try store.lock(.document(id))
            var document: ServerDocument?
            // Of a damaged document, the files stay behind: nothing says which ones they are.
            do { document = try Self.document(id, in: store) } catch is DamagedRow {}
            let layers = try store.intactLayers(of: id).map(\.id)
            try store.removeDocument(id, at: try store.time(now))
            return (document, layers)
        }
        engine.end(document: id, layers: layers, with: SessionEvent(.lost, reason: "the document was deleted"))
        await engine.remove(PendingRemovals(layers: layers, bases: document.map { [$0.base] } ?? []))
        for file in document?.files ?? [] { try await intake.removeBlob(file.sha256) }
        return .data { $0.object { $0.member("document_id", id) } }
    }

    /// Accepts `{"document_id", "new_document_id"?}` and creates an independent copy of the document's current state.
    func copyDocument(_ request: ServerRequest) async throws -> Response {
        let body = try await request.json(upTo: 64 << 10)
        guard let source = body["document_id"]?.string else {
            throw APIError(.badRequest, #""document_id" must be a string: the document to copy"#)
        }
        let wish = body["new_document_id"]
        guard wish == nil || wish == .null || wish?.string != nil else {
            throw APIError(.badRequest, #""new_document_id" must be a string"#)
        }
        let now = engine.now()
        var random = SystemRandomNumberGenerator()
        let id = wish?.string ?? ULID.make(at: now, using: &random)
        request.audit?.add { ($0.document, $0.newDocument) = (source, id) }
        let copy = try await engine.read { store in
            try StagedCopy(of: try Self.document(source, in: store), to: id, in: store, now: now)
        }
        try await engine.perform(copy)
        try await engine.waitForTokens(for: .whole(id))
        return .data { $0.object { $0.member("document_id", id) } }
    }

    /// Returns the PDF as uploaded, or with the annotations of a layer.
    func pdf(_ key: LayerKey, _ request: ServerRequest) async throws -> Response {
        let document = try await engine.read { try Self.document(key.document, in: $0) }
        guard request.query["source"] != "true" else {
            return try .file(
                intake.blobs.open(document.pdfSHA256), sha256: document.pdfSHA256, type: "application/pdf",
                by: engine.workers, request)
        }
        _ = try await engine.read { try Self.layer(key, in: $0) }
        // For the result, and for intermediate data.
        let (target, notes) = (try intake.blobs.receive(), try intake.blobs.receive())
        defer { withExtendedLifetime((target, notes)) {} }
        let left: LeftOut
        do {
            left = try await intake.work.perform(on: document.pdfBytes) {
                try await intake.blobs.withFile(document.pdfSHA256) { path in
                    try await annotate(path, document, key, into: target.path, notes: notes.path)
                }
            }
        } catch let error as PDFError { throw error.refusal }
        // The open file stays readable after its name is removed.
        return try .made(FileBlob(path: target.path), type: "application/pdf", by: engine.workers).telling(left)
    }

    /// - Returns: what a PDF cannot hold.
    private func annotate(
        _ path: String, _ document: ServerDocument, _ key: LayerKey, into target: String, notes: String
    ) async throws -> LeftOut {
        var left = LeftOut()
        let tools = intake.tools.sized(for: document.pdfBytes)
        let result = try await tools.annotate(path, into: target, notes: notes) { annotated in
            left = LeftOut()
            try await eachPart(of: key, Self.withRevision) { part in
                for entry in part {
                    // A record that was never edited stays as the file has it, even if an earlier version read it
                    // differently.
                    if entry.revision == 0, annotated.keep(entry.record.id) { continue }
                    guard entry.root != nil || entry.record.contentType != .comments else {
                        left.add(entry.record)
                        continue
                    }
                    var image: [UInt8]?
                    if let id = entry.record.content.attachmentID {
                        image = try await attachments.bytes(of: id, in: key.document)
                    }
                    if try !annotated.add(entry.record, under: entry.root, image: image) { left.add(entry.record) }
                }
            }
        }
        for _ in result.unwritten { left.addUnwritten() }
        return left
    }

    private static func withRevision(
        _ row: ServerRecord, _ layer: ServerLayer, _ store: any StoreReading
    ) throws -> (record: Record, root: Record?, revision: Revision)? {
        (row.record, try withRoot(row, layer, store)?.root, row.revision)
    }

    // MARK: A record sent with its file: a form with the part `annotation` and a part for the file

    /// Returns a request's record, sent as JSON or as a form with its file. The file is stored under its SHA-256; if
    /// the content names no attachment, or names the part, it gets that name.
    func recordBody(_ key: LayerKey, _ request: ServerRequest) async throws -> JSON {
        guard request.mediaType == "multipart/form-data" else {
            return try await request.json(upTo: Int64(engine.limits.batchBytes))
        }
        _ = try await engine.read { try Self.document(key.document, in: $0) }
        let form = try await IncomingForm.read(
            request,
            IncomingForm.Rules(
                isFile: { $0.name != "annotation" && $0.fileName != nil },
                fieldLimit: { [limits = engine.limits] in $0 == "annotation" ? limits.recordBytes + 4096 : 4096 },
                fileLimit: attachments.limit, receive: attachments.blobs.receive))
        guard let bytes = form["annotation"] else {
            throw APIError(.badRequest, #"missing part "annotation" with the record"#)
        }
        let body = try ServerRequest.json(bytes)
        guard let file = form.files.first else { return body }
        guard form.files.count == 1 else { throw APIError(.badRequest, "a record has one attachment; send one file") }
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

    /// Reads an upload form: the part `file`, and the options as further parts.
    func receiveForm(_ request: ServerRequest) async throws -> (Upload, PDFIntake.Options) {
        let form = try await IncomingForm.read(
            request,
            IncomingForm.Rules(
                isFile: { $0.name == "file" },
                fieldLimit: { $0 == "attachment" ? Self.annotationFileBytes : 4096 },
                fileLimit: intake.limit, receive: intake.blobs.receive))
        guard let file = form.files.first else {
            throw APIError(.badRequest, #"missing part "file" with the PDF"#)
        }
        let wish = PDFIntake.Options(form, named: file.fileName)
        try await intake.check(wish.id, wish)
        return (file.upload, wish)
    }
}

extension PDFIntake.Options {
    fileprivate init(_ form: IncomingForm, named fileName: String?) {
        var title = fileName?.split(scalar: "/").last.map(String.init)
        if let name = title, name.lowercased().ends(with: ".pdf") { title = String(name.dropLast(scalars: 4)) }
        self.init(
            id: form.text("document_id"), title: form.text("title"), fileName: title,
            overwrites: form.text("overwrite_existing_document") == "true", annotations: form["attachment"],
            keepsAnnotations: form.text("keep_current_annotations") == "true")
    }
}
