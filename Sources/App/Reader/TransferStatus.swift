package import Annotations

/// Progress of a download or an upload.
package struct TransferStatus: Hashable, Sendable {
    /// In bytes.
    package var done: Int64
    /// nil if it is not known yet.
    package var total: Int64?
    /// nil until it can be estimated.
    package var bytesPerSecond: Double?

    package init(done: Int64, total: Int64? = nil, bytesPerSecond: Double? = nil) {
        self.done = done
        self.total = total
        self.bytesPerSecond = bytesPerSecond
    }

    /// 0 to 1; nil while the total is unknown.
    package var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, max(0, Double(done) / Double(total)))
    }

    package var secondsLeft: Double? {
        guard let total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return max(0, (Double(total) - Double(done)) / bytesPerSecond)
    }
}

extension TransferStatus {
    /// `43%`
    var percent: String? { fraction.map { "\(Int($0 * 100))%" } }

    /// `130 kB of 309 kB`
    var amounts: String {
        ByteCount.text(done) + (total.map { " of " + ByteCount.text($0) } ?? "")
    }

    /// `2s left`
    var timeLeft: String? {
        guard let secondsLeft, secondsLeft < 1e9 else { return nil }
        return RelativeTime.life(milliseconds: Int64(secondsLeft * 1000)) + " left"
    }

    /// `43%  2s left`
    var brief: String { [percent, timeLeft].compactMap(\.self).joined(separator: "  ") }

    /// `43%  130 kB of 309 kB  1.2 MB/s  2s left`
    package var sentence: String {
        var parts = [percent, amounts]
        if let bytesPerSecond, bytesPerSecond.isFinite {
            parts.append(ByteCount.text(Int64(max(0, min(bytesPerSecond, 1e15)))) + "/s")
        }
        parts.append(timeLeft)
        return parts.compactMap(\.self).joined(separator: "  ")
    }
}

/// A file that is being sent.
package struct UploadStatus: Hashable, Sendable {
    package var file: AttachmentID
    package var transfer: TransferStatus

    package init(file: AttachmentID, transfer: TransferStatus) { (self.file, self.transfer) = (file, transfer) }
}
