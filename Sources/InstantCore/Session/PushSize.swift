import SyncProtocol

/// How large a push may be: what the link carries in a few seconds. Small pushes keep the answers coming on a slow link, and a
/// cut connection costs little; a fast link carries everything at once after the first push.
///
/// What waits in the buffers of the kernel and of proxies counts as sent, so a push that stalls is halved: an answer to a
/// large one would take longer than anyone can tell from a dead line.
struct PushSize: Hashable, Sendable {
    /// Bytes; a single change may be larger.
    private(set) var limit = 32 << 10

    /// Milliseconds. The way there and back must be a small part of it.
    private static let aim: Int64 = 3000
    private static let least = 8 << 10
    /// The server's limit is below it.
    private static let most = 16 << 20

    mutating func stalled(_ push: PushRequest) { limit = max(Self.least, min(limit, push.size) / 2) }

    /// - Parameter time: Until the answer was here, in milliseconds.
    mutating func accepted(_ push: PushRequest, after time: Int64) {
        let fits = max(Self.least, Int(clamping: Int64(push.size) * Self.aim / max(1, time)))
        // A small push says what the way takes, not what the link carries.
        limit = min(Self.most, time > Self.aim ? fits : max(limit, fits))
    }
}
