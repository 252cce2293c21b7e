import Annotations
import EngineCore
import Hummingbird
import Interchange
import NIOCore
import SyncProtocol

/// A layer as one file of Instant JSON (vendor: "Instant JSON"), out and in.
extension BackendPlane {
    /// Annotations first, then comments, then the files they name, written as they are read: one short transaction after
    /// the other.
    func instantJSON(_ key: LayerKey) async throws -> Response {
        _ = try await part(of: key, .annotations, after: nil, limit: 1)
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var file = InstantJSONWriter()
                try await writer.write(ByteBuffer(string: file.begin()))
                var named: Set<AttachmentID> = []
                for type in [ContentType.annotations, .comments] {
                    var last: Record.ID?
                    repeat {
                        let part = try await part(of: key, type, after: last, limit: Self.rows)
                        var text = ""
                        for record in part.records {
                            text += file.add(record)
                            if let id = record.content.attachmentID { named.insert(id) }
                        }
                        if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
                        last = part.next
                    } while last != nil
                }
                for id in named.sorted() {
                    guard let bytes = try await attachments.bytes(of: id, in: key.document) else { continue }
                    try await writer.write(ByteBuffer(string: file.add(bytes, as: id)))
                }
                try await writer.write(ByteBuffer(string: file.end()))
                try await writer.finish(nil)
            })
    }

    /// The part `instant.json` of a form: records with an id that is there replace what is there, others are made, and
    /// the PDF's own annotations that it names as skipped are deleted. Entry by entry: what cannot be done is told in
    /// `errors`.
    func applyInstantJSON(_ key: LayerKey, _ exchange: Exchange) async throws -> Response {
        let form = try await IncomingForm.read(
            exchange,
            IncomingForm.Rules(fieldLimit: { _ in Self.annotationFileBytes }, receive: intake.blobs.receive))
        guard let bytes = form["instant.json"] ?? form["file"] else {
            throw Refusal(.badRequest, #"the form has no part "instant.json""#)
        }
        let file = try SuppliedAnnotations.instantJSON(bytes)
        let now = engine.now()
        _ = try await engine.read { try Self.document(key.document, in: $0) }
        let files = try attachments.bring(file.attachments)
        var errors = files.problems
        try await attachments.keep(files.brought.values, of: key.document)
        let entries =
            file.skippedObjects.map { Entry.delete("\($0)") }
            + (file.annotations + file.comments).map { Entry.put($0.record(at: now), group: $0.group) }
        for start in stride(from: 0, to: entries.count, by: Self.rows) {
            let piece = entries[start..<min(start + Self.rows, entries.count)]
            errors += try await write(key) { writer in
                try piece.compactMap { entry in
                    do { try writer.attempt { try $0.perform(entry) } } catch let refusal as Refusal {
                        return "\(entry.id): \(refusal.description)"
                    }
                    return nil
                }
            }
        }
        let document = try await engine.read { try Self.document(key.document, in: $0) }
        return answer(document, errors: errors)
    }

    /// Bytes of a file of annotations: it is read as a whole.
    static let annotationFileBytes = 64 << 20
    /// Records of one transaction.
    static let rows = 500

    private func part(
        of key: LayerKey, _ type: ContentType, after id: Record.ID?, limit: Int
    ) async throws -> (records: [Record], next: Record.ID?) {
        try await engine.read { store in
            let rows = try store.live(in: Self.layer(key, in: store), after: id, limit: limit)
            return (
                rows.filter { $0.contentType == type }.map(\.record), rows.count == limit ? rows.last?.id : nil
            )
        }
    }
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
    /// What has no id of its own is the PDF's annotation that it names, or a new one.
    func record(at moment: Timestamp) -> Record {
        var random = SystemRandomNumberGenerator()
        return Record(
            id: id ?? content["pdfObjectId"]?.integer.map(String.init) ?? ULID.make(at: moment, using: &random),
            content: content, createdBy: createdBy, updatedBy: updatedBy ?? createdBy, group: group ?? nil)
    }
}
