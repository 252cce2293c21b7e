import Annotations
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// An answer whose body is whole.
struct Reply: Hashable, Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: ByteBuffer

    /// Answers are for whoever asked, never for a cache.
    ///
    /// - Parameter json: bytes that are JSON already.
    init(_ status: HTTPResponse.Status = .ok, json: [UInt8]) {
        self.status = status
        headers = [.contentType: "application/json", .cacheControl: "no-store"]
        body = ByteBuffer(bytes: json)
    }

    init(_ message: some Message) { self.init(json: message.bytes) }

    var response: Response { Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body)) }
}
