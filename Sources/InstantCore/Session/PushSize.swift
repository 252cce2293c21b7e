import SyncProtocol

/// How large a push may be: half as large as one that stalled, and twice as large again with each one that arrives.
///
/// What waits in the buffers of the kernel and of proxies counts as sent. On a slow link, an answer to a large push takes
/// longer than anyone can tell from a dead line.
struct PushSize: Hashable, Sendable {
    /// Bytes; a single change may be larger.
    private(set) var limit = Int.max

    private static let least = 4 << 10
    /// The server's limit is below it.
    private static let most = 16 << 20

    mutating func stalled(_ push: PushRequest) { limit = max(Self.least, min(limit, push.bytes.count) / 2) }

    mutating func accepted() {
        guard limit < .max else { return }
        limit = limit < Self.most ? limit * 2 : .max
    }
}
