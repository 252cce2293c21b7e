import Annotations
import AsyncHTTPClient
import FoundationEssentials
import Instant
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

/// Sends this program's requests to the backend API of a server.
struct Backend {
    private let recipient: SecretRecipient
    private let secret: Secret
    /// The time for a response without a body of any size.
    private let patience: Duration

    /// - Throws: ``CommandFailure`` if the secret would go to another machine over plain http, unless that is allowed.
    init(
        server: String, secret: String, allowsInsecureHTTP: Bool = false, patience: Duration = .seconds(10)
    ) throws {
        recipient = try SecretRecipient.of("the backend's secret", server: server, allowsInsecureHTTP)
        self.secret = .backend(secret)
        self.patience = patience
    }

    /// For messages.
    var server: String { recipient.address.canonical }

    /// Uploads a PDF as multipart/form-data, read and sent in pieces.
    ///
    /// - Returns: The document's id.
    func upload(_ path: String, documentID: String?, title: String?, overwrite: Bool) async throws -> String {
        let file = try RegularFile(path)
        let boundary = "postilla-\(UInt64.random(in: 0 ... .max))-\(UInt64.random(in: 0 ... .max))"
        var head = ""
        func field(_ name: String, _ value: String) {
            head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        if let documentID { field("document_id", documentID) }
        field("title", title ?? String(path.split(scalar: "/").last ?? "document"))
        if overwrite { field("overwrite_existing_document", "true") }
        head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"document.pdf\"\r\n"
        head += "Content-Type: application/pdf\r\n\r\n"
        let tail = "\r\n--\(boundary)--\r\n"

        var request = request("/api/documents", .POST)
        request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=\(boundary)")
        request.body = .stream(
            FileParts(head: head, file: file, tail: tail),
            length: .known(Int64(head.utf8.count) + file.size + Int64(tail.utf8.count)))
        let answer = try await send(request, timeout: .seconds(1800))
        guard let id = answer["data"]?["document_id"]?.string else {
            throw notOurs("invalid response to the upload")
        }
        return id
    }

    /// Uploads the file unless a document with this id exists.
    func uploadIfMissing(_ path: String, documentID: String) async throws {
        let request = request("/api/documents/\(documentID)/properties")
        let response = try? await HTTPClients.shared.execute(request, to: recipient, deadline: .now() + .seconds(10))
        _ = try? await response?.body.collect(upTo: 1 << 20)
        if response?.status == .ok { return }
        _ = try await upload(path, documentID: documentID, title: nil, overwrite: false)
    }

    func revoke(_ tokens: [String]) async throws {
        _ = try await send(request("/api/revoke", .POST, ["jwts": .array(tokens.map(JSON.string))]))
    }

    /// Visits all documents, a thousand at a time, oldest first.
    ///
    /// - Parameter title: Only documents whose title has this text; nil for all.
    func forEachDocument(titled title: String?, _ body: (BackendDocument) throws -> Void) async throws {
        var cursor: String?
        repeat {
            let query = [
                "page_size=1000", title.map { "title=" + PercentEncoding.encode($0) },
                cursor.map { "cursor=" + PercentEncoding.encode($0) },
            ].compactMap { $0 }.joined(separator: "&")
            let page = try await send(request("/api/documents?" + query), limit: 16 << 20)
            guard let documents = page["data"]?.array else { throw notOurs("invalid list of documents") }
            for document in documents {
                guard let document = BackendDocument(document) else { throw notOurs("invalid list of documents") }
                try body(document)
            }
            cursor = page["next_cursor"]?.string
        } while cursor != nil
    }

    /// The names of a document's layers; empty is the default layer.
    func layers(of documentID: String) async throws -> [String] {
        let answer = try await send(request(path(documentID) + "/layers"), limit: 16 << 20)
        guard let names = answer["data"]?.array else { throw notOurs("invalid list of layers") }
        return names.compactMap(\.string)
    }

    /// Deletes a document with its layers.
    func delete(_ documentID: String) async throws { _ = try await send(request(path(documentID), .DELETE)) }

    private func path(_ documentID: String) -> String { "/api/documents/" + PercentEncoding.encode(documentID) }

    private func request(_ path: String, _ method: HTTPMethod = .GET, _ body: JSON? = nil) -> HTTPClientRequest {
        var request = recipient.request(method, path, secret)
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body.text))
        }
        return request
    }

    private func send(
        _ request: HTTPClientRequest, timeout: Duration? = nil, limit: Int = 1 << 20
    ) async throws -> JSON {
        let response: HTTPClientResponse
        let body: [UInt8]
        do {
            let time = TimeAmount(timeout ?? patience)
            response = try await HTTPClients.shared.execute(request, to: recipient, deadline: .now() + time)
            body = Array(try await response.body.collect(upTo: limit).readableBytesView)
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            throw CommandFailure("\(server) did not answer within \(patience.components.seconds) s", .unreachable)
        } catch {
            throw CommandFailure("cannot reach \(server); is it running?", .unreachable)
        }
        if response.status == .ok { return (try? JSONReader.parse(body)) ?? .null }
        if let redirect = response.redirect { throw notOurs("it returned \(redirect)") }
        let why = try? ErrorAnswer(bytes: body)
        if response.status == .unauthorized {
            throw CommandFailure("the server rejected the backend's secret", .authentication)
        }
        if why?.known == .alreadyExists {
            throw CommandFailure("a document with this id exists; --overwrite replaces it", .conflict)
        }
        guard let why else { throw notOurs("it returned \(response.status.code)") }
        throw CommandFailure(why.description)
    }

    private func notOurs(_ what: String) -> CommandFailure {
        CommandFailure("\(server) is not a Postilla server: \(what)")
    }
}

/// A document as the backend API lists it.
struct BackendDocument {
    var id: String
    var title: String
    var bytes: Int64
    /// ISO 8601.
    var createdAt: String

    /// - Returns: nil if the JSON does not describe a document.
    init?(_ json: JSON) {
        guard let id = json["document_id"]?.string else { return nil }
        self.id = id
        title = json["title"]?.string ?? ""
        bytes = json["byteSize"]?.integer ?? 0
        createdAt = json["createdAt"]?.string ?? ""
    }
}

extension SecretRecipient {
    /// - Parameter secret: What is to be sent, for messages: `the backend's secret`.
    /// - Throws: ``CommandFailure`` for an address that is none, and for another machine that is reached over plain http,
    ///   unless that is allowed.
    static func of(
        _ secret: String, server: String, _ allowsInsecureHTTP: Bool
    ) throws -> SecretRecipient {
        let address: ServerAddress
        do { address = try ServerAddress(server) } catch { throw CommandFailure(error.sentence(about: server), .usage) }
        return try of(secret, at: address, allowsInsecureHTTP)
    }

    static func of(
        _ secret: String, at address: ServerAddress, _ allowsInsecureHTTP: Bool
    ) throws -> SecretRecipient {
        do { return try SecretRecipient(address, allowsInsecureHTTP: allowsInsecureHTTP) } catch {
            throw CommandFailure("\(secret) is not sent: \(error); use https, or --insecure-http", .usage)
        }
    }
}
