import AsyncHTTPClient
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

extension HTTPTransport {
    /// Reads what a status that is not success means for the session.
    func check(_ response: HTTPClientResponse, deadline: NIODeadline? = nil) async throws(SyncFailure) {
        let status = response.status.code
        guard status != 200 else { return }
        if (300..<400).contains(status) {
            throw notOurs("it answers with a redirect, which is not followed")
        }
        let retryAfter = response.headers.first(name: "retry-after").flatMap(Int64.init).map { max(0, min($0, 3600)) }
        let bytes = try await collect(
            response, limit: 64 << 10, deadline: deadline ?? .now() + timeout)
        guard let answer = try? ErrorAnswer(bytes: bytes) else {
            // A proxy in between speaks its own errors, and may take less at once than the server.
            if status == 413 { throw .tooLarge }
            if status == 429 || status >= 500 {
                throw .unreachable(
                    "\(address.host) answers \(status)", retryAfterMilliseconds: retryAfter.map { $0 * 1000 })
            }
            throw notOurs("it answers \(status) with something else than an error of ours")
        }
        throw failure(status, answer, retryAfter: retryAfter)
    }

    private func failure(_ status: UInt, _ answer: ErrorAnswer, retryAfter: Int64?) -> SyncFailure {
        let text = Self.short(answer.description.isEmpty ? answer.reason : answer.description)
        switch (status, answer.known) {
        case (_, .clientIDTaken): return .clientIDTaken
        case (_, .oldClient): return .oldClient("this program is too old for \(address.host): \(text)")
        case (_, .oldServer): return .oldServer("\(address.host) is too old for this program: \(text)")
        case (401, .tokenExpired): return .token(.expired)
        case (401, .tokenRevoked): return .token(.revoked)
        case (401, _): return .token(.refused(text))
        case (403, _): return .forbidden(text)
        case (404, .documentNotFound), (404, .layerDeleted): return .lost(text)
        case (410, _): return .epochChanged
        case (413, _): return .tooLarge
        case (429, _), (500..., _):
            return .unreachable(
                "\(address.host) cannot answer now: \(text)", retryAfterMilliseconds: retryAfter.map { $0 * 1000 })
        default: return .invalidServer("\(address.host) refused the request: \(text)")
        }
    }
}
