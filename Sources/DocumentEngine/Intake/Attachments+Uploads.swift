import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import SyncProtocol

/// Uploads by clients, in one request or several. Bytes that arrived before a connection was lost are kept for a day.
extension Attachments {
    private static let offsetHeader = HTTPField.Name(UploadProgressHeader.offset)!
    private static let completeHeader = HTTPField.Name(UploadProgressHeader.complete)!
    /// Fewer bytes are not kept when an upload is cut off.
    private static let leastPart: Int64 = 16 << 10

    /// Receives an attachment, or the bytes that its `Content-Range` names; durable when the whole file is there, so that
    /// the next change can name it.
    func receive(_ id: AttachmentID, _ token: VerifiedToken, _ request: ServerRequest) async throws -> Response {
        let range = try request.contentRange(upTo: limit)
        // Checks the token and the layer before reading a byte.
        let key = try await key(of: id, token)
        let parts = parts(for: token.grant.documentID)
        if let range, range.bytes != 0..<range.total {
            guard let parts else { throw APIError(.badRequest, "this server takes a file in one request only") }
            return try await receive(range, of: key, into: parts, token, request)
        }
        let upload = try blobs(of: token.grant.documentID).receive()
        return try await running.run(key, cut: request.cut) {
            try await receive(into: upload, 0..<limit, of: key, parts, request, else: Self.tooLarge(limit))
            try await accept(try upload.finish(), as: key, token)
            try? parts?.remove(key)
            return .uploaded(upload.bytes)
        }
    }

    private func receive(
        _ range: ContentRange, of key: UploadKey, into parts: any UploadParts, _ token: VerifiedToken,
        _ request: ServerRequest
    ) async throws -> Response {
        await running.end(key)
        let stored = try await engine.apart { try parts.length(of: key) }
        guard range.bytes.lowerBound == 0 || range.bytes.lowerBound == stored else { throw Self.otherPart }
        let upload = try blobs(of: token.grant.documentID).receive()
        return try await running.run(key, cut: request.cut) {
            try await receive(
                into: upload, range.bytes, of: key, parts, request, else: "the body is longer than its Content-Range")
            guard upload.bytes == Int64(range.bytes.count) else {
                throw APIError(.badRequest, "the body is shorter than its Content-Range")
            }
            let offset = range.bytes.lowerBound
            guard try parts.add(upload.part, at: offset, to: key, at: engine.now(), replacesMore: true) else {
                throw Self.otherPart
            }
            guard range.bytes.upperBound == range.total else { return .uploaded(range.bytes.upperBound) }
            guard let whole = try parts.take(key) else { throw Self.otherPart }
            try await accept(whole, as: key, token)
            return .uploaded(range.total)
        }
    }

    /// Receives the body, which has these bytes of the file. If the connection is lost, what has arrived is kept.
    ///
    /// - Parameter excuse: the text of the error if the body is longer.
    private func receive(
        into upload: Upload, _ bytes: Range<Int64>, of key: UploadKey, _ parts: (any UploadParts)?,
        _ request: ServerRequest, else excuse: String
    ) async throws {
        do {
            try await request.receive(into: upload, upTo: Int64(bytes.count), else: excuse)
        } catch {
            if !(error is APIError) { keep(upload.part, at: bytes.lowerBound, of: key, in: parts) }
            throw error
        }
    }

    /// Keeps what can be used, unless more is stored. It may fail: then it is sent again.
    private func keep(_ part: Upload.Part, at offset: Int64, of key: UploadKey, in parts: (any UploadParts)?) {
        guard let parts, part.bytes >= Self.leastPart else { return }
        _ = try? parts.add(part, at: offset, to: key, at: engine.now(), replacesMore: false)
    }

    private func accept(_ received: Upload.CompletedFile, as key: UploadKey, _ token: VerifiedToken) async throws {
        guard received.sha256 == key.file.hex else {
            throw APIError(.invalid, "the SHA-256 does not match: the attachment was damaged in transit, or misnamed")
        }
        try await keep(received, of: token.grant.documentID) { [engine] in
            try engine.admitUndeleted(token, in: $0)
        }
        // In a separate transaction, so that the layer is not locked while the bytes are stored.
        try await engine.addUpload(of: key.file, token)
    }

    /// Answers as `GET` does; the header says how much of the file the server has from this user. A request that still
    /// receives it is ended first.
    func progress(of id: AttachmentID, _ token: VerifiedToken, _ request: ServerRequest) async throws -> Response {
        let key = try await key(of: id, token)
        let parts = parts(for: token.grant.documentID)
        if parts != nil { await running.end(key) }
        let known = try await engine.view(token) { view -> StoredAttachment? in
            guard let attachment = try view.store.attachment(id, of: token.grant.documentID) else { return nil }
            let mayName =
                try view.store.isUploaded(id, by: token.grant.userID, in: view.layer)
                || view.store.marks(naming: id, in: view.layer).contains { view.scope.contains($0.subject) }
            return mayName ? attachment : nil
        }
        // The client need not send it, and has the time to name it that an upload would give.
        guard let known, try await renew(known, token) else {
            var response = Self.missing.response
            response.headers[Self.offsetHeader] = try await engine.apart { try parts?.length(of: key) }.map { "\($0)" }
            return response
        }
        var response: Response
        do { response = try await send(id, token, request) } catch let error as APIError where error.reason == .notFound
        {
            response = error.response
        }
        response.headers[Self.completeHeader] = UploadProgressHeader.yes
        response.headers[Self.offsetHeader] = "\(known.bytes)"
        return response
    }

    /// Marks the file as just uploaded by the token's user.
    ///
    /// - Returns: false if its bytes are gone.
    private func renew(_ known: StoredAttachment, _ token: VerifiedToken) async throws -> Bool {
        let attachment = StoredAttachment(
            known.id, document: known.document, bytes: known.bytes, at: engine.now())
        let isThere = try await engine.writes(of: known.document).perform {
            [engine, blobs = blobs(of: known.document)] in
            try $0.lock(.blob(known.id.hex))
            try engine.admitUndeleted(token, in: $0)
            guard try $0.attachment(known.id, of: known.document) != nil, (try? blobs.open(known.id.hex)) != nil else {
                return false
            }
            try $0.put(attachment)
            return true
        }
        if isThere { try await engine.addUpload(of: known.id, token) }
        return isThere
    }

    private func key(of id: AttachmentID, _ token: VerifiedToken) async throws -> UploadKey {
        try await engine.view(token) { UploadKey(layer: $0.layer.id, user: token.grant.userID, file: id) }
    }

    /// nil for documents that have a store of their own: their clients are on this machine.
    private func parts(for document: String) -> (any UploadParts)? { engine.place(of: document) == nil ? parts : nil }

    private static let otherPart = APIError(
        .rangeNotSatisfiable, "the server has another part of this file; ask for it with HEAD")

    fileprivate static func tooLarge(_ limit: Int64) -> String { "the attachment is larger than \(limit) bytes" }
}

extension ServerRequest {
    /// Closes the connection.
    fileprivate var cut: @Sendable () -> Void { { [channel] in channel.close(promise: nil) } }

    fileprivate func contentRange(upTo limit: Int64) throws -> ContentRange? {
        guard let header = header(.contentRange) else { return nil }
        guard let range = ContentRange(header: header) else {
            throw APIError(.badRequest, "Content-Range must be like bytes 0-499/1234")
        }
        guard range.total <= limit else { throw APIError(.payloadTooLarge, Attachments.tooLarge(limit)) }
        return range
    }
}

extension Response {
    /// - Parameter bytes: how many bytes of the file the server has.
    fileprivate static func uploaded(_ bytes: Int64) -> Response {
        .json { $0.object { $0.member("bytes", bytes) } }
    }
}
