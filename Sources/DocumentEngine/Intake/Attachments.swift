import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// Files that records name: stored under the SHA-256 of their bytes, sent to those who can see such a record, and
/// deleted when no record has named them for a day.
struct Attachments: Sendable {
    let engine: Engine
    let blobs: any Blobs
    /// What was received of uploads that were cut off.
    let parts: any UploadParts
    let running = RunningUploads()
    /// The maximum size of one attachment in bytes.
    let limit: Int64

    static let unnamedLife: Int64 = 86_400_000

    func blobs(of document: String) -> any Blobs { engine.place(of: document)?.attachments ?? blobs }

    /// Makes a received file an attachment of the document; durable when it returns.
    ///
    /// - Parameter admit: called in the same transaction.
    @discardableResult
    func keep(
        _ received: Upload.CompletedFile, of document: String,
        _ admit: @escaping @Sendable (any StoreWriting) throws -> Void = { _ in }
    ) async throws -> AttachmentID {
        guard let id = AttachmentID(received.sha256) else { throw Self.missing }
        let attachment = StoredAttachment(id, document: document, bytes: received.bytes, at: engine.now())
        try await engine.writes(of: document).perform { [blobs = blobs(of: document)] store in
            try store.lock(.blob(received.sha256))
            try admit(store)
            _ = try BackendAPI.document(document, in: store)
            try blobs.keep(received)
            try store.put(attachment)
        }
        return id
    }

    /// Writes to disk the files that arrived together in one request.
    ///
    /// - Returns: those whose bytes match their names, and why the others were rejected.
    func bring(_ files: [AttachmentID: [UInt8]]) throws -> (
        brought: [AttachmentID: Upload.CompletedFile], problems: [String]
    ) {
        var brought: [AttachmentID: Upload.CompletedFile] = [:]
        var problems: [String] = []
        for (id, bytes) in files.sorted(by: { $0.key < $1.key }) {
            guard Int64(bytes.count) <= limit else {
                problems.append("\(id): the attachment is larger than \(limit) bytes")
                continue
            }
            let upload = try blobs.receive()
            try upload.write(ByteBuffer(bytes: bytes))
            let received = try upload.finish()
            if received.sha256 == id.hex {
                brought[id] = received
            } else {
                problems.append("\(id): the SHA-256 does not match")
            }
        }
        return (brought, problems)
    }

    /// Returns the bytes of an attachment of the document; nil if it has none of this name.
    func bytes(of id: AttachmentID, in document: String) async throws -> [UInt8]? {
        guard try await engine.read(of: document, { try $0.attachment(id, of: document) }) != nil else { return nil }
        return try await engine.apart { [blobs = blobs(of: document)] in
            let blob = try blobs.open(id.hex)
            var bytes: [UInt8] = []
            while Int64(bytes.count) < blob.length {
                bytes += try blob.read(at: Int64(bytes.count), Int(blob.length) - bytes.count).readableBytesView
            }
            return bytes
        }
    }

    /// Sends an attachment to a client that sees a record naming it; otherwise 404.
    func send(_ id: AttachmentID, _ token: VerifiedToken, _ request: ServerRequest) async throws -> Response {
        let isNamed = try await engine.view(token) { view in
            try view.store.marks(naming: id, in: view.layer).contains { view.scope.contains($0.subject) }
        }
        guard isNamed else { throw Self.missing }
        return try await send(id, of: token.grant.documentID, request)
    }

    func send(_ id: AttachmentID, of document: String, _ request: ServerRequest) async throws -> Response {
        let known = try await engine.read(of: document) { try $0.attachment(id, of: document) }
        guard known != nil else { throw Self.missing }
        let file = try await engine.apart { [blobs = blobs(of: document)] in try blobs.open(id.hex) }
        return try .file(
            file, sha256: id.hex, type: "application/octet-stream", by: engine.workers, request)
    }

    static let missing = APIError(.notFound, "no such attachment")

    /// Deletes unnamed attachments, at most 1,000 per call, then files that belong to no document.
    func tidy() async throws {
        let moment = engine.now() + -Self.unnamedLife
        try await engine.writes.perform { store in
            for attachment in try store.unnamedAttachments(before: moment, limit: 1000) {
                try store.removeAttachment(attachment.id, of: attachment.document)
            }
        }
        try await engine.apart { [parts] in try parts.removeAll(before: moment) }
        for name in try await engine.apart({ [blobs] in try blobs.names() }) {
            guard let id = AttachmentID(name) else { continue }
            // Under the lock that storing also takes, so that no file is removed between its arrival and the writing of
            // its row.
            try await engine.writes.perform { [blobs] store in
                try store.lock(.blob(id.hex))
                if try !store.isAttachmentKept(id) { try blobs.remove(id.hex) }
            }
        }
    }
}
