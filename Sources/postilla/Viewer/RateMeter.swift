import Annotations

/// Bytes per second over the last few seconds: steady enough to read, quick enough to follow a link that changes.
struct RateMeter {
    private var samples: [(at: Timestamp, bytes: Int64)] = []
    private static let window: Int64 = 4000

    /// - Parameter bytes: received in all so far.
    /// - Returns: nil while there is nothing to compare with.
    mutating func add(_ bytes: Int64, at now: Timestamp) -> Double? {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        samples.append((now, bytes))
        samples.removeAll { now - $0.at > Self.window }
        guard let first = samples.first, now - first.at > 200 else { return nil }
        return Double(bytes - first.bytes) * 1000 / Double(now - first.at)
    }
}
