import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// One request as the routes see it.
struct Exchange: Sendable {
    let request: Request
    let query: Query
    let id: RequestID
    /// The client's address, for counting what it does wrong.
    let address: String?

    var method: HTTPRequest.Method { request.method == .head ? .get : request.method }

    func header(_ name: HTTPField.Name) -> String? { request.headers[name] }

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

    /// The body, if it is no larger than this.
    func body(upTo limit: Int) async throws -> [UInt8] {
        if let encoding = header(.contentEncoding), encoding.lowercased() != "identity" {
            throw Refusal(.badRequest, "compressed requests are not taken")
        }
        let tooLarge = Refusal(.payloadTooLarge, "the request is larger than \(limit) bytes: send it in pieces")
        if let length = header(.contentLength).flatMap(Int.init), length > limit { throw tooLarge }
        var bytes: [UInt8] = []
        for try await buffer in request.body {
            guard bytes.count + buffer.readableBytes <= limit else { throw tooLarge }
            bytes.append(contentsOf: buffer.readableBytesView)
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
        do { return try M(bytes: try await body(upTo: limit)) } catch let error as JSONError {
            throw Refusal(.badRequest, "the body is not the message that is expected here: \(error)")
        }
    }
}
