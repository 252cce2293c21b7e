import Annotations
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

extension Response {
    /// - Parameter size: the approximate size in bytes.
    static func json(
        _ status: HTTPResponse.Status = .ok, size: Int = 1024, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var json = JSONWriter(capacity: size)
        write(&json)
        return self.json(status, bytes: json.bytes)
    }

    /// Returns a response that caches must not store.
    ///
    /// - Parameter bytes: serialised JSON.
    static func json(_ status: HTTPResponse.Status = .ok, bytes: [UInt8]) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns the vendor's envelope: `{"data":…}`.
    static func data(_ write: (inout JSONWriter) -> Void) -> Response {
        json { json in
            json.object {
                $0.key("data")
                write(&$0)
            }
        }
    }

    static func message(_ message: some WireMessage) -> Response { json(bytes: message.bytes) }

    /// The server's OpenAPI description, `docs/openapi.json`, embedded in the program.
    static var apiDescription: Response { json(bytes: PackageResources.openapi_json) }
}
