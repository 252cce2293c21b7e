/// A download on its way: how far it has come, and the way to stop it.
public struct InstantProgress: Sendable {
    /// In bytes of the PDF.
    public let received: Int64
    /// 0 until the server has told.
    public let total: Int64
    private let stop: @Sendable () -> Void

    init(_ progress: DownloadProgress, stop: @escaping @Sendable () -> Void) {
        received = progress.received
        total = progress.total
        self.stop = stop
    }

    /// From 0 to 1.
    public var fractionCompleted: Double { total > 0 ? Double(received) / Double(total) : 0 }

    /// Ends the download; what has arrived is kept for the next one. Answers by `didCancelDownload`.
    public func cancel() { stop() }
}
