import NIOHTTP1

/// The bodies of a connection's requests: whether the newest one may be read, and what happens to the rest of it once
/// its request has been answered. Requests may be pipelined, but are answered one after the other.
struct RequestBodies: Hashable {
    /// The part of the newest body that has not arrived.
    private enum Rest: Hashable {
        case nothing
        case bytes(Int)
        /// Chunked.
        case unknown
    }

    /// A body of at most this many bytes is read before a route wants it, and even after its request was refused,
    /// because a new connection would cost more.
    static let smallBytes = InputValve.unwantedBytes

    private var requests = 0
    private var answers = 0
    private var rest = Rest.nothing
    /// The client sends the body after `100 Continue`.
    private var awaitsContinue = false

    /// - Returns: whether the body is held back until a route wants it.
    mutating func headCame(_ head: HTTPRequestHead) -> Bool {
        requests += 1
        rest = Self.length(head).map { $0 > 0 ? .bytes($0) : .nothing } ?? .unknown
        awaitsContinue = Self.awaitsContinue(head) && rest != .nothing
        return Self.holds(head)
    }

    mutating func bodyCame(bytes: Int) {
        awaitsContinue = false
        if case .bytes(let left) = rest { rest = .bytes(left - bytes) }
    }

    mutating func requestEnded() { (rest, awaitsContinue) = (.nothing, false) }

    /// What to do when a route wants the body of the current request.
    enum Wish: Hashable {
        /// The whole body has arrived.
        case nothing
        case read
        /// Sends `100 Continue` first.
        case readContinued
    }

    mutating func wanted() -> Wish {
        guard requests == answers + 1, rest != .nothing else { return .nothing }
        defer { awaitsContinue = false }
        return awaitsContinue ? .readContinued : .read
    }

    /// What happens to the rest of a body once its request is answered.
    enum End: Hashable {
        /// There is none.
        case nothing
        /// It is read and dropped: the next request follows.
        case drain
        /// It is not read: the connection ends. Also if the client waits for `100 Continue`: whether it will send the
        /// body is unknown.
        case close
    }

    /// The final response to the next request begins.
    mutating func answered() -> End {
        answers += 1
        guard answers == requests else { return .nothing }
        switch rest {
        case .nothing: return .nothing
        case .bytes(let left): return awaitsContinue || left > Self.smallBytes ? .close : .drain
        case .unknown: return .close
        }
    }

    // MARK: Heads

    /// Whether a request's body is held back until a route wants it.
    static func holds(_ head: HTTPRequestHead) -> Bool {
        guard let length = length(head) else { return true }
        return length > smallBytes || length > 0 && awaitsContinue(head)
    }

    static func isChunked(_ head: HTTPRequestHead) -> Bool { length(head) == nil }

    /// - Returns: nil if the length is not known in advance.
    private static func length(_ head: HTTPRequestHead) -> Int? {
        if head.headers.contains(name: "Transfer-Encoding") { return nil }
        // The decoder has refused invalid values; it counts to 2^64.
        return head.headers.first(name: "Content-Length").map { Int($0) ?? .max } ?? 0
    }

    /// An HTTP/1.0 client would take `100 Continue` for the response (RFC 9110 §10.1.1).
    private static func awaitsContinue(_ head: HTTPRequestHead) -> Bool {
        head.version == .http1_1 && head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
    }
}
