import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore
import PDFPages
import SyncProtocol

/// Exports and imports a layer as Instant JSON (vendor: "Instant JSON"), and exports it as XFDF.
extension BackendAPI {
    /// Writes annotations, comments, the values of form fields, and the files that annotations name.
    func instantJSON(_ key: LayerKey) async throws -> Response {
        try await file(of: key, type: "application/json") { write in
            var file = InstantJSONWriter()
            var named: Set<AttachmentID> = []
            try await write(file.begin())
            for type in [ContentType.annotations, .comments, .formFields] {
                try await eachPart(of: key) { row, _, _ in
                    row.contentType == type ? row.record : nil
                } _: { records in
                    named.formUnion(records.compactMap(\.content.attachmentID))
                    try await write(records.map { file.add($0) }.joined())
                }
            }
            for id in named.sorted() {
                guard let bytes = try await attachments.bytes(of: id, in: key.document) else { continue }
                try await write(file.add(bytes, as: id))
            }
            try await write(file.end())
        }
    }

    /// Applies the part `instant.json` of a form: replaces records whose id exists, creates the others, and deletes the
    /// PDF's own annotations that the file lists as skipped. Each entry succeeds or fails on its own; `errors` lists
    /// the failures.
    func applyInstantJSON(_ key: LayerKey, _ request: ServerRequest) async throws -> Response {
        // Only deletions are audited.
        request.audit?.add { $0.isOmitted = true }
        let form = try await IncomingForm.read(
            request,
            IncomingForm.Rules(fieldLimit: { _ in Self.annotationFileBytes }, receive: intake.blobs.receive))
        guard let bytes = form["instant.json"] ?? form["file"] else {
            throw APIError(.badRequest, #"missing part "instant.json""#)
        }
        let file = try SuppliedAnnotations.instantJSON(bytes)
        request.audit?.add { $0.isOmitted = file.skippedObjects.isEmpty }
        let now = engine.now()
        _ = try await engine.read { try Self.document(key.document, in: $0) }
        let files = try attachments.bring(file.attachments)
        var errors = file.problems.filter(\.isSkipped).map(\.description) + files.problems
        if !file.formFieldValues.isEmpty {
            errors += file.problems(with: try await formFieldValues(of: key)).map(\.description)
        }
        for file in files.brought.values { try await attachments.keep(file, of: key.document) }
        let entries =
            file.skippedObjects.map { Entry.delete("\($0)") }
            + (file.annotations + file.comments).map { Entry.put($0.record(at: now), group: $0.group) }
        for start in stride(from: 0, to: entries.count, by: Self.rows) {
            let piece = entries[start..<min(start + Self.rows, entries.count)]
            let (problems, deleted) = try await write(key) { writer in
                var (problems, deleted): ([String], Int) = ([], 0)
                for entry in piece {
                    do {
                        try writer.attempt { try $0.perform(entry) }
                        if case .delete = entry { deleted += 1 }
                    } catch let refusal as APIError { problems.append("\(entry.id): \(refusal.description)") }
                }
                return (problems, deleted)
            }
            errors += problems
            request.audit?.add { $0.count = ($0.count ?? 0) + deleted }
        }
        let document = try await engine.read { try Self.document(key.document, in: $0) }
        return answer(document, errors: errors)
    }

    private func formFieldValues(of key: LayerKey) async throws -> [ByteOrdered: JSON] {
        var values: [ByteOrdered: JSON] = [:]
        try await eachPart(of: key) { row, _, _ in
            row.contentType == .formFields ? row.record : nil
        } _: { records in
            values.merge(records.formFieldValues) { first, _ in first }
        }
        return values
    }

    /// The maximum size of an annotation file in bytes; it is read as a whole.
    static let annotationFileBytes = 64 << 20
    /// The same, including the form around the file.
    static let annotationFormBytes = Int64(annotationFileBytes) + (64 << 10)

    /// Writes the layer as XFDF: annotations and their replies in id order. A header counts what is left out, which is
    /// found before the answer starts.
    func xfdf(_ key: LayerKey) async throws -> Response {
        let document = try await engine.read { try Self.document(key.document, in: $0) }
        let file = XFDFWriter(pages: document.pages.map(\.frame))
        // Records that are written only if the PDF holds their file.
        var left = LeftOut(), files: [Record] = []
        try await eachPart(of: key) { row, layer, store -> Record? in
            guard let part = try Self.withRoot(row, layer, store) else { return row.record }
            let hasFile = try part.record.content.attachmentID.map {
                try store.attachment($0, of: key.document) != nil
            }
            return file.holds(part.record, under: part.root, hasFile: hasFile ?? false) ? nil : part.record
        } _: { records in
            for record in records {
                if record.mayHaveFileInPDF { files.append(record) } else { left.add(record) }
            }
        }
        var attached: AttachedFiles?
        if !files.isEmpty {
            attached = try await filesOfPDF(document)
            for record in files where attached?.contains(record.id) != true { left.add(record) }
        }
        let response = try await self.file(of: key, type: "application/vnd.adobe.xfdf") { [attached] write in
            try await write(file.begin())
            try await eachPart(of: key, Self.withRoot) { part in
                for (record, root) in part {
                    let bytes = try await bytes(ofFileAttachment: record, document, attached)
                    try await write(file.add(record, under: root, file: bytes))
                }
            }
            try await write(file.end())
        }
        return response.telling(left)
    }

    private func filesOfPDF(_ document: ServerDocument) async throws -> AttachedFiles {
        do {
            return try await intake.work.perform(on: document.pdfBytes) {
                try await intake.blobs.withFile(document.pdfSHA256) { path in
                    try await intake.tools.sized(for: document.pdfBytes).attachedFiles(in: path)
                }
            }
        } catch let error as PDFError { throw error.refusal }
    }

    /// Returns the bytes of a file attachment; nil for any other record.
    private func bytes(
        ofFileAttachment record: Record, _ document: ServerDocument, _ attached: AttachedFiles?
    ) async throws -> [UInt8]? {
        guard AnnotationKind(of: record.content.object) == .file else { return nil }
        if let id = record.content.attachmentID { return try await attachments.bytes(of: id, in: document.id) }
        guard let attached, attached.contains(record.id) else { return nil }
        return try await intake.work.perform(on: document.pdfBytes) {
            try await intake.blobs.withFile(document.pdfSHA256) { try await attached.bytes(of: record.id, in: $0) }
        }
    }
}

extension Record {
    /// Whether it is a file attachment of the PDF, which alone has its bytes.
    fileprivate var mayHaveFileInPDF: Bool {
        AnnotationKind(of: content.object) == .file && content.attachmentID == nil
    }
}

extension Response {
    /// Counts the records of a layer that the format cannot hold.
    func telling(_ left: LeftOut) -> Response {
        guard let text = left.text else { return self }
        var response = self
        response.headers[Self.leftOut] = text
        return response
    }

    private static let leftOut = HTTPField.Name("X-Postilla-Left-Out")!
}

private enum Entry: Sendable {
    case put(Record, group: String??)
    case delete(Record.ID)

    var id: Record.ID {
        switch self {
        case .put(let record, _): record.id
        case .delete(let id): id
        }
    }
}

extension BackendWriter {
    fileprivate mutating func perform(_ entry: Entry) throws {
        switch entry {
        case .put(let record, let group): try put(record, group: group)
        case .delete(let id): try delete(id, user: nil)
        }
    }
}

extension InstantJSONFile.Item {
    /// Returns the item as a record. Without an id, it becomes the PDF's own annotation that it names, or else a new
    /// record.
    func record(at moment: Timestamp) -> Record {
        var random = SystemRandomNumberGenerator()
        return Record(
            id: id ?? content["pdfObjectId"]?.integer.map(String.init) ?? ULID.make(at: moment, using: &random),
            content: content, createdBy: createdBy, updatedBy: updatedBy ?? createdBy, group: group ?? nil)
    }
}
