import Annotations
import Authorization
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// Files that records name: taken in under the SHA-256 of their bytes, handed out to those who see such a record,
/// forgotten when no record has named them for a day.
struct Attachments: Sendable {
    let engine: Engine
    let blobs: any Blobs
    /// Bytes one may have.
    let limit: Int64

    static let unnamedLife: Int64 = 86_400_000

    /// Durable when it returns, so that a change may name it next.
    func receive(_ id: AttachmentID, _ claims: Claims, _ exchange: ServerRequest) async throws -> Response {
        // Admits the token and the layer before a byte is read.
        try await engine.view(claims) { _ in }
        let upload = try blobs.receive()
        try await exchange.receive(into: upload, upTo: limit, else: "an attachment may have at most \(limit) bytes")
        let received = try upload.finish()
        guard received.sha256 == id.hex else {
            throw APIError(.invalid, "the SHA-256 of what was sent is another: it was damaged on the way, or misnamed")
        }
        try await keep(received, of: claims.grant.documentID) { try Engine.admit(claims, in: $0) }
        // A transaction of its own: the layer is not held while the bytes are kept.
        try await engine.addUpload(of: id, claims)
        return .json { $0.object { $0.member("bytes", received.bytes) } }
    }

    /// Makes what was received an attachment of the document, durable when it returns.
    ///
    /// - Parameter admit: asked in the same transaction.
    @discardableResult
    func keep(
        _ received: Upload.CompletedFile, of document: String,
        _ admit: @escaping @Sendable (any StoreWriting) throws -> Void = { _ in }
    ) async throws -> AttachmentID {
        guard let id = AttachmentID(received.sha256) else { throw Self.missing }
        let attachment = StoredAttachment(id, document: document, bytes: received.bytes, at: engine.now())
        try await engine.writes.perform { [blobs] store in
            try store.lock(.blob(received.sha256))
            try admit(store)
            _ = try BackendAPI.document(document, in: store)
            try blobs.keep(received)
            try store.put(attachment)
        }
        return id
    }

    /// Writes files to disk that came with others in one request.
    ///
    /// - Returns: those whose bytes are what their names say, and why the others are not taken.
    func bring(_ files: [AttachmentID: [UInt8]]) throws -> (
        brought: [AttachmentID: Upload.CompletedFile], problems: [String]
    ) {
        var brought: [AttachmentID: Upload.CompletedFile] = [:]
        var problems: [String] = []
        for (id, bytes) in files.sorted(by: { $0.key < $1.key }) {
            guard Int64(bytes.count) <= limit else {
                problems.append("\(id): an attachment may have at most \(limit) bytes")
                continue
            }
            let upload = try blobs.receive()
            try upload.write(ByteBuffer(bytes: bytes))
            let received = try upload.finish()
            if received.sha256 == id.hex {
                brought[id] = received
            } else {
                problems.append("\(id): its bytes have another SHA-256")
            }
        }
        return (brought, problems)
    }

    /// The bytes of an attachment of the document; nil when it has none of this name.
    func bytes(of id: AttachmentID, in document: String) async throws -> [UInt8]? {
        guard try await engine.read({ try $0.attachment(id, of: document) }) != nil else { return nil }
        return try await engine.apart { [blobs] in
            let blob = try blobs.open(id.hex)
            var bytes: [UInt8] = []
            while Int64(bytes.count) < blob.length {
                bytes += try blob.read(at: Int64(bytes.count), Int(blob.length) - bytes.count).readableBytesView
            }
            return bytes
        }
    }

    /// To whoever sees a record that names it; to others it is not there.
    func send(_ id: AttachmentID, _ claims: Claims, _ exchange: ServerRequest) async throws -> Response {
        let isNamed = try await engine.view(claims) { view in
            try view.store.records(naming: id, in: view.layer).contains { view.scope.contains($0.subject) }
        }
        guard isNamed else { throw Self.missing }
        return try await send(id, of: claims.grant.documentID, exchange)
    }

    func send(_ id: AttachmentID, of document: String, _ exchange: ServerRequest) async throws -> Response {
        guard try await engine.read({ try $0.attachment(id, of: document) }) != nil else { throw Self.missing }
        let file = try await engine.apart { [blobs] in try blobs.open(id.hex) }
        return try .file(
            file, sha256: id.hex, type: "application/octet-stream", by: engine.workers, exchange)
    }

    static let missing = APIError(.notFound, "there is no attachment of this name here")

    /// Forgets what nobody named, then files that no document has any more.
    func tidy() async throws {
        let moment = engine.now() + -Self.unnamedLife
        try await engine.writes.perform { store in
            for attachment in try store.unnamedAttachments(before: moment, limit: 1000) {
                try store.removeAttachment(attachment.id, of: attachment.document)
            }
        }
        for name in try await engine.apart({ [blobs] in try blobs.names() }) {
            guard let id = AttachmentID(name) else { continue }
            // Where attachments are kept, so that none is removed between its arrival and its row.
            try await engine.writes.perform { [blobs] store in
                try store.lock(.blob(id.hex))
                if try !store.isAttachmentKept(id) { try blobs.remove(id.hex) }
            }
        }
    }
}
