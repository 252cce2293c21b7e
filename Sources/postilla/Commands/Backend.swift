import Annotations
import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import SyncProtocol

/// Sends this program's requests to the backend API of a server.
struct Backend {
    var server: String
    var secret: String

    /// An unreachable server is reported at once; the shared client would keep trying to connect.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Uploads a PDF as multipart/form-data, read and sent in pieces.
    ///
    /// - Returns: The document's id.
    func upload(_ path: String, documentID: String?, title: String?, overwrite: Bool) async throws -> String {
        let file = try UploadFile(path)
        let boundary = "postilla-\(UInt64.random(in: 0 ... .max))-\(UInt64.random(in: 0 ... .max))"
        var head = ""
        func field(_ name: String, _ value: String) {
            head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        if let documentID { field("document_id", documentID) }
        field("title", title ?? String(path.split(separator: "/").last ?? "document"))
        if overwrite { field("overwrite_existing_document", "true") }
        head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"document.pdf\"\r\n"
        head += "Content-Type: application/pdf\r\n\r\n"
        let tail = "\r\n--\(boundary)--\r\n"

        var request = request("/api/documents")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=\(boundary)")
        request.body = .stream(
            FileParts(head: head, file: file, tail: tail),
            length: .known(Int64(head.utf8.count) + file.size + Int64(tail.utf8.count)))
        let answer = try await send(request)
        guard let id = answer["data"]?["document_id"]?.string else {
            throw CommandFailure("\(server) is not a Postilla server: invalid response to the upload")
        }
        return id
    }

    /// Uploads the file unless a document with this id exists.
    func uploadIfMissing(_ path: String, documentID: String) async throws {
        let request = request("/api/documents/\(documentID)/properties")
        let response = try? await Self.http.execute(request, timeout: .seconds(10))
        _ = try? await response?.body.collect(upTo: 1 << 20)
        if response?.status == .ok { return }
        _ = try await upload(path, documentID: documentID, title: nil, overwrite: false)
    }

    func revoke(_ tokens: [String]) async throws {
        var request = request("/api/revoke")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: (["jwts": .array(tokens.map(JSON.string))] as JSON).text))
        _ = try await send(request)
    }

    private func request(_ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: server + path)
        request.headers.add(name: "Authorization", value: "Token token=\"\(secret)\"")
        return request
    }

    private func send(_ request: HTTPClientRequest) async throws -> JSON {
        let response: HTTPClientResponse
        let body: [UInt8]
        do {
            response = try await Self.http.execute(request, timeout: .minutes(30))
            body = Array(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        } catch {
            throw CommandFailure("cannot reach \(server); is it running?", .unreachable)
        }
        if response.status == .ok { return (try? JSONReader.parse(body)) ?? .null }
        let why = try? ErrorAnswer(bytes: body)
        if response.status == .unauthorized {
            throw CommandFailure("the server rejected the backend's secret", .authentication)
        }
        throw CommandFailure(
            why.map(\.description) ?? "\(server) is not a Postilla server: it returned \(response.status.code)")
    }
}
