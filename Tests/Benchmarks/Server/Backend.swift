import Annotations
import AsyncHTTPClient
import EngineSupport
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

    /// Returns the number of annotations in the layer, without comments.
    func count(document: String) async throws -> Int {
        var request = server.request("documents/\(document)/annotations")
        request.headers.add(name: "Accept", value: "application/x-ndjson")
        let body = try await server.send(request)
        return body.split(separator: 0x0A).count
    }

    /// Posts remarks in batches that the server accepts in one request.
    func post(_ remarks: [Remark], document: String) async throws {
        for start in stride(from: 0, to: remarks.count, by: 500) {
            let piece = remarks[start..<min(start + 500, remarks.count)]
            var request = server.request("documents/\(document)/annotations", .POST)
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: (["annotations": .array(piece.map(\.json))] as JSON).text))
            let answer = try JSONReader.parse(try await server.send(request))
            guard answer["result"]?.string == "success" else {
                throw BenchmarkError("the server did not accept all annotations: \(answer.text.prefix(500))")
            }
        }
    }
}

extension Remark {
    /// The form that the backend API accepts.
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
