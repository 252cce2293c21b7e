import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// What the server takes and answers, in OpenAPI: `docs/openapi.json`, which is part of the program.
    static var apiDescription: Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.openapi_json)))
    }
}
