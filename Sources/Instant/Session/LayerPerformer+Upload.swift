import Annotations
import InstantCore

/// Decides which progress of the current upload is reported. Most uploads finish before anything needs reporting.
struct UploadReport {
    private var progress: UploadProgress?
    private var since = ContinuousClock.now
    private var told: ContinuousClock.Instant?
    /// Whether the end of an earlier file was not reported.
    private var owesEnd = false

    private static let silence = Duration.seconds(1)
    private static let pace = Duration.milliseconds(250)

    var current: UploadProgress? { told == nil ? nil : progress }

    /// - Returns: Whether to report this.
    mutating func moved(_ progress: UploadProgress, at now: ContinuousClock.Instant = .now) -> Bool {
        if self.progress?.file != progress.file { (since, told, owesEnd) = (now, nil, owesEnd || told != nil) }
        self.progress = progress
        guard now - since >= Self.silence, told.map({ now - $0 >= Self.pace }) ?? true else { return false }
        told = now
        return true
    }

    /// - Returns: Whether to report the end.
    mutating func ended() -> Bool {
        defer { (progress, told, owesEnd) = (nil, nil, false) }
        return told != nil || owesEnd
    }
}

extension LayerPerformer {
    func tellUploadEnded() { if uploads.withLock({ $0.ended() }) { tell(.didMakeUploadProgress(nil)) } }

    func upload(_ file: AttachmentID, token: String) async throws(SyncFailure) -> SyncAnswer {
        defer { onQueue { self.tellUploadEnded() } }
        return try await transport.upload(file, from: attachments, token: token) { [weak self] sent, total in
            guard let self else { return }
            let progress = UploadProgress(file: file, sent: Int64(sent), total: Int64(total))
            guard uploads.withLock({ $0.moved(progress) }) else { return }
            onQueue {
                guard self.uploads.withLock({ $0.current != nil }) else { return }
                self.tell(.didMakeUploadProgress(progress))
            }
        }
    }
}
