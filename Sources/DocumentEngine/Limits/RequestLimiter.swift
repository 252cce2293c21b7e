import EngineCore
import Glibc
import SyncProtocol
import Synchronization

/// Rate limits and counts: requests per token, failed logins per address, open streams.
final class RequestLimiter: Sendable {
    /// The authenticated client. Only the hash of a token is stored.
    enum Client: Hashable, Sendable {
        case backend
        case token(Int)

        init(token: String) { self = .token(token.hashValue) }
    }

    private struct State {
        var requests: RateLimiter<Client>?
        var backend: RateLimiter<Client>?
        var failures: RateLimiter<String>?
        var streams: [Client: Int] = [:]
        var streamCount = 0
    }

    private let limits: ServiceLimits
    private let uptime: @Sendable () -> Duration
    private let state: Mutex<State>

    /// - Parameter uptime: a monotonic clock.
    init(_ limits: ServiceLimits, uptime: @escaping @Sendable () -> Duration) {
        self.limits = limits
        self.uptime = uptime
        state = Mutex(
            State(
                requests: Self.limiter(limits.requestsPerSecond, each: .seconds(1), burst: 2),
                backend: Self.limiter(limits.backendRequestsPerSecond, each: .seconds(1), burst: 2),
                failures: Self.limiter(limits.failedLoginsPerMinute, each: .seconds(60), burst: 1)))
    }

    private static func limiter<Key>(_ count: Int, each span: Duration, burst: Int) -> RateLimiter<Key>? {
        count > 0 ? RateLimiter(.init(interval: span / count, burst: count * burst)) : nil
    }

    // MARK: Requests

    /// How a client authenticates.
    enum Proof: Hashable, Sendable {
        /// Guessable: after too many wrong ones from an address, even the right one is refused.
        case secret
        /// Not guessable: a valid token is accepted, whatever others at its address do.
        case token
    }

    /// Authenticates a client, and counts credentials that no honest client sends.
    ///
    /// - Throws: ``APIError`` from the check, or because of too many failures from this address.
    func login<Who>(with proof: Proof, from address: String?, _ check: () throws -> Who) throws -> Who {
        func place() -> String { ClientNetwork.of(address ?? "nowhere") }
        if proof == .secret, let wait = state.withLock({ $0.failures?.wait(place(), at: uptime()) }) {
            throw Self.tooManyFailures(wait)
        }
        do { return try check() } catch let refusal as APIError {
            if refusal.reason.isForgery, let wait = state.withLock({ $0.failures?.take(place(), at: uptime()) }) {
                throw Self.tooManyFailures(wait)
            }
            throw refusal
        }
    }

    private static func tooManyFailures(_ wait: Duration) -> APIError {
        APIError(.tooManyRequests, "too many invalid tokens or secrets from this address", retryAfter: wait)
    }

    /// Counts a request.
    func request(of client: Client) throws(APIError) {
        let now = uptime()
        let wait = state.withLock { state in
            client == .backend ? state.backend?.take(client, at: now) : state.requests?.take(client, at: now)
        }
        guard let wait = wait ?? nil else { return }
        throw APIError(.tooManyRequests, "too many requests with this token", retryAfter: wait)
    }

    // MARK: Streams

    /// Reserves one stream, until the slot is released.
    func seat(for client: Client) throws(APIError) -> StreamSlot {
        let problem: String? = state.withLock { state in
            if limits.streams > 0, state.streamCount >= limits.streams { return "streams open on this server" }
            if limits.streamsPerToken > 0, state.streams[client, default: 0] >= limits.streamsPerToken {
                return "streams open with this token"
            }
            state.streams[client, default: 0] += 1
            state.streamCount += 1
            return nil
        }
        if let problem {
            throw APIError(.tooManyRequests, "too many \(problem)", retryAfter: .seconds(10))
        }
        return StreamSlot(of: client, in: self)
    }

    var streamCount: Int { state.withLock { $0.streamCount } }

    fileprivate func leave(_ client: Client) {
        state.withLock { state in
            state.streamCount -= 1
            let left = state.streams[client, default: 1] - 1
            state.streams[client] = left > 0 ? left : nil
        }
    }

    /// A reserved stream, freed when this object is released.
    final class StreamSlot: Sendable {
        private let client: Client
        private let admission: RequestLimiter

        fileprivate init(of client: Client, in admission: RequestLimiter) {
            (self.client, self.admission) = (client, admission)
        }

        deinit { admission.leave(client) }
    }
}

extension ErrorAnswer.Reason {
    /// Whether no honest client would send such credentials.
    fileprivate var isForgery: Bool {
        switch self {
        case .unauthorized, .tokenMalformed, .signatureInvalid, .algorithmRefused: true
        default: false
        }
    }
}

/// The network of an address: for IPv6, the first 64 bits, which is what one customer is assigned (RFC 6177), so that
/// one customer counts as one client.
enum ClientNetwork {
    /// - Parameter address: text; anything that is not an IPv6 address is returned unchanged.
    static func of(_ address: String) -> String {
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        return withUnsafeBytes(of: bytes) { bytes in
            // An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2).
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            if isMapped { return bytes[12...].map { String($0) }.joined(separator: ".") }
            return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        }
    }
}
