/// Progress of a PDF download.
package struct DownloadStatus: Hashable, Sendable {
    package var received: Int64
    /// nil if the server has not sent it.
    package var total: Int64?
    /// nil until it can be estimated.
    package var bytesPerSecond: Double?

    package init(received: Int64, total: Int64? = nil, bytesPerSecond: Double? = nil) {
        self.received = received
        self.total = total
        self.bytesPerSecond = bytesPerSecond
    }

    /// 0 to 1; nil while the total is unknown.
    package var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, max(0, Double(received) / Double(total)))
    }

    package var secondsLeft: Double? {
        guard let total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return max(0, (Double(total) - Double(received)) / bytesPerSecond)
    }
}
