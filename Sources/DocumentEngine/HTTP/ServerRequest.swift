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
    /// The client's address, for counting what it does wrong.
    let address: String?
    /// The connection, where the answer may need it.
    let channel: any Channel
    /// What stands in the path in place of the pattern's parameters.
    let parameters: [String: String]
    /// Bytes the body may have.
    let maxBytes: Int64

    /// A parameter of the path; empty where the pattern has none of this name.
    subscript(parameter: String) -> String { parameters[parameter] ?? "" }

    /// Several fields of one name are one, with commas between what they say (RFC 9110 §5.2).
    func header(_ name: HTTPField.Name) -> String? { head.headerFields[name] }

    /// The content type without its parameters, in lower case; empty when there is none.
    var mediaType: String {
        let type = (header(.contentType) ?? "").split(separator: ";").first ?? ""
        return type.lowercased().filter { $0 != " " }
    }

    /// A whole number in the query.
    ///
    /// - Throws: ``APIError`` when it is something else.
    func number(_ name: String) throws -> Int64? {
        guard let text = query[name] else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw APIError(.badRequest, #""\#(name)" must be a whole number that is not negative"#)
        }
        return number
    }

    // MARK: The body

    /// The body as it comes in. Who waits with it until it is wanted is told now.
    ///
    /// - Throws: ``APIError`` when it is compressed.
    func incoming() throws -> RequestBody {
        if let encoding = header(.contentEncoding), encoding.lowercased() != "identity" {
            throw APIError(.badRequest, "compressed requests are not taken")
        }
        if header(.expect) != nil { channel.triggerUserOutboundEvent(ContinueHandler.BodyIsWanted(), promise: nil) }
        return body
    }

    /// Passes the body to `take` piece by piece. Throws when it exceeds the limit of the route.
    ///
    /// - Parameters:
    ///   - limit: bytes, where a body of this kind may have fewer than the route allows.
    ///   - excuse: the error when it is larger; nil: the usual one. Thrown before anything is read where the request
    ///     tells the length.
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

    private func bytes(upTo limit: Int64 = .max) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await eachPiece(upTo: limit) { bytes.append(contentsOf: $0.readableBytesView) }
        return bytes
    }

    /// The body as one JSON value.
    ///
    /// - Parameter limit: bytes, where JSON may have fewer than the route allows.
    func json(upTo limit: Int64 = .max) async throws -> JSON { try Self.json(await bytes(upTo: limit)) }

    static func json(_ bytes: [UInt8]) throws -> JSON {
        do { return try JSONReader.parse(bytes) } catch {
            throw APIError(.badRequest, "the body is not the JSON that is expected here: \(error)")
        }
    }

    /// The body as a message of the protocol.
    func message<M: WireMessage>(_ type: M.Type) async throws -> M {
        let bytes = try await bytes()
        do { return try M(bytes: bytes) } catch {
            throw APIError(.badRequest, "the body is not the message that is expected here: \(error)")
        }
    }
}

extension APIError {
    static func tooLarge(upTo limit: Int64) -> APIError {
        APIError(.payloadTooLarge, "the request is larger than \(limit) bytes: send it in pieces")
    }
}

/// The parameters of a query. Of two with one name the first counts.
struct Query: Hashable {
    private var values: [String: String] = [:]

    /// Of an address that has none.
    init() {}

    /// - Returns: nil when it is not properly encoded.
    init?(_ text: some StringProtocol) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = parts.count < 2 ? "" : PercentEncoding.decode(parts[1], plusIsSpace: true)
            else { return nil }
            if values[name] == nil { values[name] = value }
        }
    }

    subscript(name: String) -> String? { values[name] }
}
