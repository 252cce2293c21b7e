import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// One request as the routes see it.
struct ServerRequest: Sendable {
    let head: HTTPRequest
    let body: RequestBody
    let query: Query
    let id: RequestID
    /// The client's address, used to count its failed logins.
    let address: String?
    /// The connection, for responses that need it.
    let channel: any Channel
    /// The values of the pattern's parameters in the path.
    let parameters: [String: String]
    /// The maximum size of the body in bytes.
    let maxBytes: Int64
    /// Collects what the handler adds to the request's line in the audit log; nil if the request leaves none.
    var audit: AuditNotes?

    /// Returns a parameter of the path; empty if the pattern has none of this name.
    subscript(parameter: String) -> String { parameters[parameter] ?? "" }

    /// Returns a header; several fields of one name are joined with commas (RFC 9110 §5.2).
    func header(_ name: HTTPField.Name) -> String? { head.headerFields[name] }

    /// The content type without parameters, in lower case; empty if missing.
    var mediaType: String {
        let type = (header(.contentType) ?? "").split(scalar: ";").first ?? ""
        return String(type.lowercased().trimming { $0 == " " })
    }

    /// Returns a whole number from the query.
    ///
    /// - Throws: ``APIError`` if the value is not a non-negative whole number.
    func number(_ name: String) throws -> Int64? {
        guard let text = query[name] else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw APIError(.badRequest, #""\#(name)" must be a non-negative whole number"#)
        }
        return number
    }

    // MARK: The body

    /// The size of the body in bytes; 0 if the request does not state it.
    var statedBytes: Int64 { header(.contentLength).flatMap(Int64.init) ?? 0 }

    /// Returns the body as it arrives. Before this call, at most a part of the body is read. The call also sends `100
    /// Continue` to a client that expects it.
    ///
    /// - Throws: ``APIError`` if the body is compressed.
    func incoming() throws -> RequestBody {
        if let encoding = header(.contentEncoding), encoding.lowercased() != "identity" {
            throw APIError(.badRequest, "compressed requests are not supported")
        }
        let isSmall = header(.contentLength).flatMap { Int($0) }.map { $0 <= RequestBodies.smallBytes } ?? false
        // A small body is not held back: most requests need no turn of the event loop for this.
        if !isSmall || header(.expect) != nil {
            channel.triggerUserOutboundEvent(RequestBodyHandler.BodyIsWanted(), promise: nil)
        }
        return body
    }

    /// Passes the body to `take` piece by piece. Throws if it exceeds the limit; if the request states its length,
    /// before anything is read.
    ///
    /// - Parameters:
    ///   - limit: the limit in bytes, if this kind of body has a lower limit than the route.
    ///   - excuse: the text of the error if the body is larger; nil: the usual text.
    func eachPiece(
        upTo limit: Int64 = .max, else excuse: String? = nil, _ take: (ByteBuffer) throws -> Void
    ) async throws {
        let limit = min(limit, maxBytes)
        let tooLarge = excuse.map { APIError(.payloadTooLarge, $0) } ?? .tooLarge(upTo: limit)
        if let length = header(.contentLength).flatMap(Int64.init), length > limit { throw tooLarge }
        var room = limit
        for try await buffer in try incoming() {
            room -= Int64(buffer.readableBytes)
            guard room >= 0 else { throw tooLarge }
            try take(buffer)
        }
    }

    func receive(into upload: Upload, upTo limit: Int64, else excuse: String) async throws {
        try await eachPiece(upTo: limit, else: excuse, upload.write)
    }

    func bytes(upTo limit: Int64 = .max) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await eachPiece(upTo: limit) { bytes.append(contentsOf: $0.readableBytesView) }
        return bytes
    }

    /// Returns the body as one JSON value.
    ///
    /// - Parameter limit: the limit in bytes, if JSON has a lower limit than the route.
    func json(upTo limit: Int64 = .max) async throws -> JSON { try Self.json(await bytes(upTo: limit)) }

    static func json(_ bytes: [UInt8]) throws -> JSON {
        do { return try JSONReader.parse(bytes) } catch {
            throw APIError(.badRequest, "invalid JSON in the body: \(error)")
        }
    }

    /// Returns the body as a message of the protocol.
    func message<M: WireMessage>(_ type: M.Type) async throws -> M {
        let bytes = try await bytes()
        do { return try M(bytes: bytes) } catch {
            throw APIError(.badRequest, "invalid message in the body: \(error)")
        }
    }
}

extension APIError {
    static func tooLarge(upTo limit: Int64) -> APIError {
        APIError(.payloadTooLarge, "the request is larger than \(limit) bytes; split it")
    }
}
