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

    /// - Parameter bytes: JSON already.
    static func json(_ status: HTTPResponse.Status = .ok, bytes: [UInt8]) -> Response {
        Reply(status, json: bytes).response
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

    static func message(_ message: some Message) -> Response { Reply(message).response }
}
