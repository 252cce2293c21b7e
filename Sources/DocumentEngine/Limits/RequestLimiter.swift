import Annotations
import EngineCore
import Glibc
import SyncProtocol
import Synchronization

/// Rate limits and counts: requests per user, unauthenticated requests and failed logins per address, open streams.
///
/// An authenticated client is never refused because of others at its address.
final class RequestLimiter: Sendable {
    /// An authenticated client of the sync API. Only hashes are stored.
    struct Client: Hashable, Sendable {
        fileprivate let token: Key
        /// All tokens of the user; nil without `user_id`.
        fileprivate let user: Key?

        init(token: String, user: String?) {
            // Users are distinguished by bytes.
            self.init(.token(token.hashValue), user.map { .user(ByteOrdered($0).hashValue) })
        }

        private init(_ token: Key, _ user: Key?) { (self.token, self.user) = (token, user) }

        /// The client without its user's other tokens.
        var alone: Client { Client(token, nil) }
    }

    fileprivate enum Key: Hashable, Sendable {
        case backend
        case token(Int)
        case user(Int)
    }

    /// A limit that a request ran into; a label of the metrics, by the name of the setting.
    enum Limit: String, Hashable, Sendable, CaseIterable {
        case requests = "requests-per-second"
        case backendRequests = "backend-requests-per-second"
        case unauthenticated = "unauthenticated-requests-per-second"
        case failedLogins = "failed-logins-per-minute"
        case streams
        case streamsPerToken = "streams-per-token"
        case connectionsPerAddress = "connections-per-address"
    }

    private struct State {
        var requests: RateLimiter<Key>?
        var backend: RateLimiter<Key>?
        /// Keyed by network, like the next two.
        var unauthenticated: RateLimiter<String>?
        var wrongSecrets: RateLimiter<String>?
        var forgedTokens: RateLimiter<String>?
        /// Tokens that turned out to be revoked, which is final.
        var revoked: Set<Key> = []
        var streams: [Key: Int] = [:]
        var streamCount = 0
    }

    private let limits: ServiceLimits
    private let uptime: @Sendable () -> Duration
    private let limited: @Sendable (Limit) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - uptime: a monotonic clock.
    ///   - limited: called for each request that is refused because of a limit.
    init(
        _ limits: ServiceLimits, uptime: @escaping @Sendable () -> Duration,
        limited: @escaping @Sendable (Limit) -> Void = { _ in }
    ) {
        self.limits = limits
        self.uptime = uptime
        self.limited = limited
        state = Mutex(
            State(
                requests: Self.limiter(limits.requestsPerSecond, each: .seconds(1), burst: 2),
                backend: Self.limiter(limits.backendRequestsPerSecond, each: .seconds(1), burst: 2),
                unauthenticated: Self.limiter(limits.unauthenticatedRequestsPerSecond, each: .seconds(1), burst: 2),
                wrongSecrets: Self.limiter(limits.failedLoginsPerMinute, each: .seconds(60), burst: 1),
                forgedTokens: Self.limiter(limits.failedLoginsPerMinute, each: .seconds(60), burst: 1)))
    }

    private static func limiter<Key>(_ count: Int, each span: Duration, burst: Int) -> RateLimiter<Key>? {
        count > 0 ? RateLimiter(.init(interval: span / count, burst: count * burst)) : nil
    }

    // MARK: Without authentication

    /// How a client authenticates.
    enum Proof: Hashable, Sendable {
        case secret, token
    }

    /// Authenticates a client. The check comes first and limits apply to failures only: a limit on the check itself would
    /// lock out the right secret and valid tokens of everybody else at the address.
    ///
    /// - Throws: the error of the check; after too many failures from this address, ``APIError`` for those instead.
    func login<Who>(with proof: Proof, from address: String?, _ check: () throws -> Who) throws -> Who {
        do { return try check() } catch let refusal as APIError {
            if refusal.reason.isForgery, !refusal.isAboutSignedToken { try failed(proof, from: address) }
            if refusal.reason.status == .unauthorized { try unauthenticated(from: address) }
            throw refusal
        }
    }

    private func failed(_ proof: Proof, from address: String?) throws(APIError) {
        let (network, now) = (ClientNetwork.of(address), uptime())
        let wait = state.withLock { state in
            switch proof {
            case .secret: state.wrongSecrets?.take(network, at: now)
            case .token: state.forgedTokens?.take(network, at: now)
            }
        }
        try refuse(wait ?? nil, .failedLogins, "too many invalid tokens or secrets from this address")
    }

    /// Counts a request without valid credentials.
    func unauthenticated(from address: String?) throws(APIError) {
        let (network, now) = (ClientNetwork.of(address), uptime())
        let wait = state.withLock { $0.unauthenticated?.take(network, at: now) }
        try refuse(wait ?? nil, .unauthenticated, "too many requests from this address without a valid token or secret")
    }

    // MARK: With authentication

    /// Counts a request of a client: with those of its user, or for itself if its token is known to be revoked.
    func request(of client: Client) throws(APIError) {
        let now = uptime()
        let (key, wait): (Key, Duration?) = state.withLock { state in
            let key = state.revoked.contains(client.token) ? client.token : client.user ?? client.token
            return (key, state.requests?.take(key, at: now))
        }
        try refuse(
            wait, .requests, "too many requests \(key == client.token ? "with this token" : "of this user")")
    }

    /// From now on, whoever holds the revoked token cannot use up the requests of its user.
    func tokenIsRevoked(of client: Client) {
        state.withLock { state in
            if state.revoked.count >= Self.maxRevoked { state.revoked = [] }
            state.revoked.insert(client.token)
        }
    }

    /// A token that was forgotten counts for its user once more.
    private static let maxRevoked = 10_000

    /// Counts a request of the backend.
    func requestOfBackend() throws(APIError) {
        let now = uptime()
        let wait = state.withLock { $0.backend?.take(.backend, at: now) }
        try refuse(wait ?? nil, .backendRequests, "too many requests with the backend's secret")
    }

    private func refuse(_ wait: Duration?, _ limit: Limit, _ text: String) throws(APIError) {
        guard let wait else { return }
        limited(limit)
        throw APIError(.tooManyRequests, text, retryAfter: wait)
    }

    /// The number of clients and addresses remembered, without streams.
    var rememberedKeys: Int {
        state.withLock { state in
            let networks = [state.unauthenticated, state.wrongSecrets, state.forgedTokens].compactMap { $0?.count }
            return networks.reduce((state.requests?.count ?? 0) + (state.backend?.count ?? 0), +)
        }
    }

    // MARK: Streams

    /// Reserves one stream, until the slot is released.
    func seat(for client: Client) throws(APIError) -> StreamSlot {
        let keys = [client.token, client.user].compactMap(\.self)
        let problem: (Limit, String)? = state.withLock { state in
            if limits.streams > 0, state.streamCount >= limits.streams {
                return (.streams, "too many streams open on this server")
            }
            if limits.streamsPerToken > 0 {
                for key in keys where state.streams[key, default: 0] >= limits.streamsPerToken {
                    return (
                        .streamsPerToken,
                        "too many streams open \(key == client.token ? "with this token" : "by this user")"
                    )
                }
            }
            for key in keys { state.streams[key, default: 0] += 1 }
            state.streamCount += 1
            return nil
        }
        if let (limit, text) = problem { try refuse(.seconds(10), limit, text) }
        return StreamSlot(of: keys, in: self)
    }

    var streamCount: Int { state.withLock { $0.streamCount } }

    private func leave(_ keys: [Key]) {
        state.withLock { state in
            state.streamCount -= 1
            for key in keys {
                let left = state.streams[key, default: 1] - 1
                state.streams[key] = left > 0 ? left : nil
            }
        }
    }

    /// A reserved stream, freed when this object is released.
    final class StreamSlot: Sendable {
        private let keys: [Key]
        private let limiter: RequestLimiter

        fileprivate init(of keys: [Key], in limiter: RequestLimiter) { (self.keys, self.limiter) = (keys, limiter) }

        deinit { limiter.leave(keys) }
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
    /// - Parameter address: text; anything that is not an IPv6 address is returned as it is. nil: the peer has none.
    static func of(_ address: String?) -> String {
        guard let address else { return "nowhere" }
        // Most are IPv4.
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
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
