import SyncProtocol

/// How large a push may be: what the link carries in a few seconds. On a slow link, the answers keep coming, and a cut connection
/// costs little; on a fast one, a few pushes carry everything.
///
/// Two pushes of different size tell the rate; one alone cannot be told from a server that takes its time. A push that stalls is
/// halved, because what waits in the buffers of the kernel and of proxies counts as sent: the answer to a large one would take so
/// long that the line seems dead.
struct PushSize: Hashable, Sendable {
    private struct Sample: Hashable {
        var bytes: Int
        /// Until the answer was here, in milliseconds.
        var time: Int64

        /// Whether the two sizes are so different that they tell the rate.
        func differs(from other: Sample) -> Bool { max(bytes, other.bytes) >= 2 * min(bytes, other.bytes) }
    }

    /// Bytes; a single change may be larger.
    private(set) var limit = Self.least
    /// The last few pushes. Older ones say nothing of the link as it is.
    private var samples: [Sample] = []
    /// The limit after a stall; it doubles after some full pushes.
    private var ceiling: Int?
    private var fullPushes = 0

    /// Milliseconds. The round trip and the answer are a small part of it, and what others write comes with the live channel.
    private static let aim: Int64 = 5000
    private static let least = 8 << 10
    private static let most = 16 << 20
    private static let samples = 6
    /// Full pushes until the ceiling rises. What stalls large pushes would stall every second one otherwise.
    private static let pushesPerStep = 4

    mutating func stalled(_ push: PushRequest) {
        limit = max(1, min(limit, push.size) / 2)
        (ceiling, fullPushes) = (limit, 0)
    }

    /// - Parameter time: Until the answer was here, in milliseconds.
    mutating func accepted(_ push: PushRequest, after time: Int64) {
        let sample = Sample(bytes: push.size, time: max(0, time))
        // A small push shows what the round trip takes, not what the link carries.
        let isFull = sample.bytes * 2 >= limit
        if isFull { resize(after: sample) }
        samples = samples.suffix(Self.samples - 1) + [sample]
        guard let ceiling else { return }
        if isFull { fullPushes += 1 }
        if fullPushes == Self.pushesPerStep {
            (self.ceiling, fullPushes) = (ceiling < Self.most ? ceiling * 2 : nil, 0)
        }
        limit = min(limit, self.ceiling ?? limit)
    }

    private mutating func resize(after sample: Sample) {
        let isSlow = sample.time > Self.aim
        let larger = min(Self.most, sample.bytes * (isSlow ? 2 : 4))
        guard let other = samples.last(where: sample.differs) else { return probe(after: sample) }
        let (bytes, time) = (sample.bytes - other.bytes, sample.time - other.time)
        // If the larger one was not the slower one, the bytes take no time.
        let takesTime = time != 0 && (bytes > 0) == (time > 0)
        let fits = takesTime ? Int(clamping: Int64(abs(bytes)) * Self.aim / abs(time)) : Self.most
        if fits > limit {
            limit = max(limit, min(fits, larger))
        } else if isSlow {
            limit = max(Self.least, fits)
        }
    }

    /// Tries another size, which will tell the rate.
    private mutating func probe(after sample: Sample) {
        if sample.bytes > 2 * Self.least, sample.time > 2 * Self.aim {
            limit = max(Self.least, sample.bytes / 4)
        } else if samples.isEmpty || sample.time * 2 < Self.aim {
            limit = min(Self.most, max(limit, sample.bytes * 4))
        }
    }
}
