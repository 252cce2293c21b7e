import Annotations

/// Bytes per second over the last few seconds: steady enough to read, quick enough to follow a changing link.
struct RateMeter {
    private var samples: [(at: Timestamp, bytes: Int64)] = []
    private static let window: Int64 = 4000

    /// - Parameter bytes: The total received so far.
    /// - Returns: nil without an earlier sample.
    mutating func add(_ bytes: Int64, at now: Timestamp) -> Double? {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        samples.append((now, bytes))
        // On a slow link, the last two are further apart.
        while samples.count > 2, now - samples[1].at > Self.window { samples.removeFirst() }
        guard let first = samples.first, now - first.at > 200 else { return nil }
        return Double(bytes - first.bytes) * 1000 / Double(now - first.at)
    }
}
