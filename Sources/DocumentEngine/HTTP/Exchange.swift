import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// One request as the routes see it.
struct Exchange: Sendable {
    let head: HTTPRequest
    let body: RequestBody
    let query: Query
    let id: RequestID
    /// The client's address, for counting what it does wrong.
    let address: String?
    /// The connection, where the answer may need it.
    var channel: (any Channel)?

    var method: HTTPRequest.Method { head.method == .head ? .get : head.method }

    /// Several fields of one name are one, with commas between what they say (RFC 9110 §5.2).
    func header(_ name: HTTPField.Name) -> String? { head.headerFields.only(name) }

    /// The content type without its parameters, in lower case; empty when there is none.
    var mediaType: String {
        let type = (header(.contentType) ?? "").split(separator: ";").first ?? ""
        return type.lowercased().filter { $0 != " " }
    }

    /// A whole number in the query.
    ///
    /// - Throws: ``Refusal`` when it is something else.
    func number(_ name: String) throws -> Int64? {
        guard let text = query[name] else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw Refusal(.badRequest, #""\#(name)" must be a whole number that is not negative"#)
        }
        return number
    }

    // MARK: The body

    /// The body as it comes in. Who waits with it until it is wanted is told now.
    ///
    /// - Throws: ``Refusal`` when it is compressed.
    func incoming() throws -> RequestBody {
        if let encoding = header(.contentEncoding), encoding.lowercased() != "identity" {
            throw Refusal(.badRequest, "compressed requests are not taken")
        }
        if header(.expect) != nil { channel?.triggerUserOutboundEvent(ContinueHandler.BodyIsWanted(), promise: nil) }
        return body
    }

    /// Hands the body on piece by piece, if it is no larger than this.
    ///
    /// - Parameter excuse: said when it is; before anything is read, where its length was told.
    private func read(upTo limit: Int64, else excuse: String, _ take: (ByteBuffer) throws -> Void) async throws {
        let tooLarge = Refusal(.payloadTooLarge, excuse)
        if let length = header(.contentLength).flatMap(Int64.init), length > limit { throw tooLarge }
        var room = limit
        for try await buffer in try incoming() {
            room -= Int64(buffer.readableBytes)
            guard room >= 0 else { throw tooLarge }
            try take(buffer)
        }
    }

    func receive(into upload: Upload, upTo limit: Int64, else excuse: String) async throws {
        try await read(upTo: limit, else: excuse, upload.write)
    }

    func body(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await read(upTo: Int64(limit), else: Refusal.tooLarge(upTo: limit).description) {
            bytes.append(contentsOf: $0.readableBytesView)
        }
        return bytes
    }

    /// The body as one JSON value.
    func json(upTo limit: Int) async throws -> JSON { try Self.json(await body(upTo: limit)) }

    static func json(_ bytes: [UInt8]) throws -> JSON {
        do { return try JSONReader.parse(bytes) } catch {
            throw Refusal(.badRequest, "the body is not the JSON that is expected here: \(error)")
        }
    }

    func message<M: Message>(_ type: M.Type, upTo limit: Int) async throws -> M {
        try Self.message(type, await body(upTo: limit))
    }

    static func message<M: Message>(_ type: M.Type, _ bytes: [UInt8]) throws -> M {
        do { return try M(bytes: bytes) } catch {
            throw Refusal(.badRequest, "the body is not the message that is expected here: \(error)")
        }
    }
}

extension HTTPFields {
    /// The same as the subscript, which joins what mostly stands alone.
    func only(_ name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return self[name] }
            found = field.value
        }
        return found
    }
}

extension Refusal {
    static func tooLarge(upTo limit: Int) -> Refusal {
        Refusal(.payloadTooLarge, "the request is larger than \(limit) bytes: send it in pieces")
    }
}
