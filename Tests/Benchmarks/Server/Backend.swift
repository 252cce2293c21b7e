import Annotations
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Fills a server as a customer's backend does.
struct Backend {
    var server: ServerProcess
    var postilla: String

    func upload(_ file: String, as document: String) throws {
        try Tools.run([
            postilla, "upload", file, "--document-id", document, "--server", server.address,
            "--api-token-file", server.secretFile.path,
        ])
    }

    /// How many records the layer shows; comments are not among them.
    func count(document: String) async throws -> Int {
        var request = request("documents/\(document)/annotations")
        request.headers.add(name: "Accept", value: "application/x-ndjson")
        let body = try await send(request)
        return body.split(separator: 0x0A).count
    }

    /// In pieces that the server takes at once.
    func post(_ remarks: [Remark], document: String) async throws {
        for start in stride(from: 0, to: remarks.count, by: 500) {
            let piece = remarks[start..<min(start + 500, remarks.count)]
            var request = request("documents/\(document)/annotations")
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: (["annotations": .array(piece.map(\.json))] as JSON).text))
            let answer = try JSONReader.parse(Array(try await send(request)))
            guard answer["result"]?.string == "success" else {
                throw BenchmarkError("the server did not take all annotations: \(answer.text.prefix(500))")
            }
        }
    }

    private func request(_ route: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: server.address + "/api/" + route)
        request.headers.add(name: "Authorization", value: "Token token=\"\(server.secret)\"")
        return request
    }

    private func send(_ request: HTTPClientRequest) async throws -> [UInt8] {
        let response = try await HTTPClient.shared.execute(request, timeout: .minutes(5))
        let body = Array(try await response.body.collect(upTo: 1 << 28).readableBytesView)
        guard response.status == .ok else {
            throw BenchmarkError(
                "\(request.url) answered \(response.status.code): \(String(decoding: body, as: UTF8.self))")
        }
        return body
    }
}

extension Remark {
    /// As the backend plane takes it.
    fileprivate var json: JSON {
        let box = Rect(left: 72, top: top, width: 300, height: 12)
        var content: JSONObject = JSONObject()
        content["v"] = 2
        content["type"] = kind == .note ? "pspdfkit/note" : "pspdfkit/markup/highlight"
        content["pageIndex"] = .number(JSONNumber(Int64(pageIndex)))
        content["bbox"] = box.json
        if kind == .note {
            content["text"] = ["format": "plain", "value": .string(text)]
        } else {
            content["rects"] = [box.json]
            content["note"] = .string(text)
        }
        content["creatorName"] = .string(author)
        content["createdAt"] = "2024-03-01T09:00:00Z"
        content["updatedAt"] = "2024-03-01T09:00:00Z"
        return ["user_id": .string(author), "content": .object(content)]
    }
}
