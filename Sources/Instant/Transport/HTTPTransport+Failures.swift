import AsyncHTTPClient
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

extension HTTPTransport {
    /// Translates an error status into its meaning for the session.
    ///
    /// - Parameter isOfKnownServer: whether a server has answered at this address before. What is not its answer comes from
    ///   something on the way, such as a firewall.
    func check(
        _ response: HTTPClientResponse, isOfKnownServer: Bool = false
    ) async throws(SyncFailure) {
        let status = response.status.code
        guard status != 200 else { return }
        if let redirect = response.redirect { throw notOurs("it returned \(redirect)") }
        let retryAfter = response.headers.first(name: "retry-after").flatMap(Int64.init).map { max(0, min($0, 3600)) }
        let bytes = try await collect(response, limit: 64 << 10)
        guard let answer = try? ErrorAnswer(bytes: bytes) else {
            // A proxy sends its own errors, and may accept only smaller requests than the server does.
            if status == 413 { throw .tooLarge }
            // A proxy that waits for the whole request has lost patience.
            if status == 408 { throw .stalled("\(address.host) returned 408") }
            if status == 429 || status >= 500 {
                let pause = retryAfter ?? (status == 429 ? Self.pause : nil)
                throw .unreachable(
                    "\(address.host) returned \(status)", retryAfterMilliseconds: pause.map { $0 * 1000 })
            }
            guard !isOfKnownServer else {
                throw .invalidServer("something between here and \(address.host) answers \(status)")
            }
            throw notOurs("it returned \(status) with an unknown error")
        }
        throw failure(status, answer, retryAfter: retryAfter)
    }

    /// Seconds that a busy server is left alone if it does not say for how long.
    private static let pause: Int64 = 1

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
        case (_, .storageFull):
            return .notSent(
                "\(address.host) cannot store edits: \(text)", retryAfterMilliseconds: retryAfter.map { $0 * 1000 })
        case (429, _), (500..., _):
            return .unreachable(
                "\(address.host) is unavailable: \(text)", retryAfterMilliseconds: (retryAfter ?? Self.pause) * 1000)
        default: return .invalidServer("\(address.host) rejected the request: \(text)")
        }
    }
}
