import SyncProtocol

/// How large a push may be: what the link carries in a few seconds. On a slow link, the answers keep coming, and a cut connection
/// costs little; on a fast one, a few pushes carry everything.
///
/// A push that stalls is halved, because what waits in the buffers of the kernel and of proxies counts as sent: the answer to a
/// large one would take so long that the line seems dead.
struct PushSize: Hashable, Sendable {
    private struct Sample: Hashable {
        var bytes: Int
        /// Until the answer was here, in milliseconds.
        var time: Int64
    }

    /// Bytes; a single change may be larger.
    private(set) var limit = Self.least
    /// A small push, which takes as long as the round trip and the server do.
    private var small: Sample?
    private var knowsRate = false
    /// The limit after a stall; it doubles with each push that arrives.
    private var ceiling: Int?

    /// Milliseconds. The round trip and the answer are a small part of it, and what others write comes with the live channel.
    private static let aim: Int64 = 5000
    private static let least = 8 << 10
    /// The server's limit is below it.
    private static let most = 16 << 20
    /// How much larger the next push may be, because one measurement says little.
    private static let growth = 4

    mutating func stalled(_ push: PushRequest) {
        limit = max(1, min(limit, push.size) / 2)
        ceiling = limit
    }

    /// - Parameter time: Until the answer was here, in milliseconds.
    mutating func accepted(_ push: PushRequest, after time: Int64) {
        measured(Sample(bytes: push.size, time: max(0, time)))
        guard let ceiling else { return }
        limit = min(limit, ceiling * 2)
        self.ceiling = ceiling < Self.most ? ceiling * 2 : nil
    }

    private mutating func measured(_ sample: Sample) {
        let larger = min(Self.most, max(limit, sample.bytes * Self.growth))
        guard let small, sample.bytes >= small.bytes * 2 else {
            if small.map({ sample.time < $0.time || sample.bytes < $0.bytes }) ?? true { small = sample }
            // Too few bytes to tell the rate.
            let isFull = sample.bytes * 2 >= limit
            if isFull, !knowsRate || sample.time * 2 < Self.aim { limit = larger }
            return
        }
        knowsRate = true
        let extra = (bytes: sample.bytes - small.bytes, time: max(1, sample.time - small.time))
        if sample.time < small.time { self.small = sample }
        let fits = min(larger, Int(clamping: Int64(extra.bytes) * Self.aim / extra.time))
        // A push that was quick does not make the next one smaller.
        if fits > limit || sample.time > Self.aim { limit = max(Self.least, fits) }
    }
}
