import Annotations
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

extension Response {
    /// - Parameter size: in bytes, about.
    static func json(
        _ status: HTTPResponse.Status = .ok, size: Int = 1024, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var json = JSONWriter(capacity: size)
        write(&json)
        return self.json(status, bytes: json.bytes)
    }

    /// Caches must not store answers.
    ///
    /// - Parameter bytes: JSON already.
    static func json(_ status: HTTPResponse.Status = .ok, bytes: [UInt8]) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The vendor's envelope: `{"data":…}`.
    static func data(_ write: (inout JSONWriter) -> Void) -> Response {
        json { json in
            json.object {
                $0.key("data")
                write(&$0)
            }
        }
    }

    static func message(_ message: some WireMessage) -> Response { json(bytes: message.bytes) }

    /// What the server takes and answers, in OpenAPI: `docs/openapi.json`, which is part of the program.
    static var apiDescription: Response { json(bytes: PackageResources.openapi_json) }
}
