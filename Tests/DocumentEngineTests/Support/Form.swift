import TestSupport
import Testing

/// A `multipart/form-data` body.
struct Form: Sendable, CustomTestStringConvertible {
    var contentType: String
    var body: [UInt8]
    let testDescription: String

    /// - Parameter cut: How many bytes to omit at the end.
    init(_ parts: [(name: String, file: String?, content: [UInt8])], cut: Int = 0, boundary: String = "-x-") {
        contentType = "multipart/form-data; boundary=\"\(boundary)\""
        body = []
        for part in parts {
            let file = part.file.map { "; filename=\"\($0)\"\r\nContent-Type: application/pdf" } ?? ""
            body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"\(file)\r\n\r\n".utf8
            body += part.content + Array("\r\n".utf8)
        }
        body += "--\(boundary)--\r\n".utf8
        body.removeLast(cut)
        testDescription = parts.map(\.name).joined(separator: "+") + (cut > 0 ? ", cut" : "") + boundary
    }
}

extension RunningServer {
    func backend(_ form: Form, to path: String = "/api/documents") async throws -> Answer {
        try await send(
            "POST", path,
            headers: [
                ("Authorization", #"Token token="\#(Self.secret)""#), ("Content-Type", form.contentType),
            ], body: form.body)
    }
}
