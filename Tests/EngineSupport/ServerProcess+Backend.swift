package import AsyncHTTPClient
import NIOCore
package import NIOHTTP1

/// The server's backend API.
extension ServerProcess {
    /// - Parameter route: Below `/api/`.
    package func request(_ route: String, _ method: HTTPMethod = .GET) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: address + "/api/" + route)
        request.method = method
        request.headers.add(name: "Authorization", value: "Token token=\"\(secret)\"")
        return request
    }

    /// - Returns: The body of a 200 response; throws for any other.
    package func send(_ request: HTTPClientRequest) async throws -> [UInt8] {
        let response = try await HTTPClient.shared.execute(request, timeout: .minutes(5))
        let body = Array(try await response.body.collect(upTo: 1 << 28).readableBytesView)
        guard response.status == .ok else {
            throw ServerTrouble(
                "\(request.url) answered \(response.status.code): \(String(decoding: body, as: UTF8.self))")
        }
        return body
    }

    package func upload(_ pdf: [UInt8], as document: String) async throws {
        var request = request("documents?document_id=\(document)", .POST)
        request.headers.add(name: "Content-Type", value: "application/pdf")
        request.body = .bytes(pdf)
        _ = try await send(request)
    }
}
