import Annotations
import InstantCore

/// The download of the layer's PDF, in parallel with the sync and with the same token.
struct DownloadState {
    /// Whether it was requested and has neither finished nor been cancelled.
    var isWanted = false
    /// Whether the PDF is stored; the layer's records may still be missing.
    var hasPDF = false
    /// Whether an attempt is under way. There is one at a time: a second one would find the file locked.
    var isRunning = false
    /// Whether that attempt was cancelled. What it still says has nothing to do with a download that was requested since.
    var isCancelled = false
    var progress: DownloadProgress?
    /// Consecutive attempts without progress.
    var failures = 0
    /// Whether the next attempt waits for its time. A timer ends the pause, not the clock, which may be set back.
    var isPaused = false
    /// The number of pauses so far, so that the timer of an earlier one does not end this one.
    var pauses = 0

    static let maxFailures = 5

    mutating func forgetPDF() {
        hasPDF = false
        progress = nil
    }

    /// Whether to retry, a limited number of times: after a broken connection, with a token that is no longer valid, or
    /// after the PDF was replaced.
    func mayRetry(_ error: any Error) -> Bool {
        guard failures < Self.maxFailures else { return false }
        return switch error {
        case SyncFailure.unreachable, SyncFailure.stalled, SyncFailure.token, is PDFDownload.Replaced: true
        default: false
        }
    }
}

extension LayerPerformer {
    func wantDownload() {
        onQueue {
            self.handle { state, _ in
                state.download.isWanted = true
                state.download.progress = state.download.progress ?? DownloadProgress(received: 0, total: 0)
                state.download.failures = 0
                state.download.isPaused = false
                return []
            }
        }
    }

    /// Cancels the download; the received part stays.
    func cancelDownload() {
        onQueue {
            var wasWanted = false
            self.handle { state, _ in
                wasWanted = state.download.isWanted
                state.download.isWanted = false
                state.download.isCancelled = state.download.isRunning
                self.withShared { $0.download }?.cancel()
                return []
            }
            if wasWanted { self.tell(.didCancelDownload) }
        }
    }

    /// Starts once a token has been accepted, because only then are the hash and the length known.
    func startDownloadIfWanted(_ state: inout Confined) {
        guard state.download.isWanted, !state.download.hasPDF, !state.download.isRunning, !state.download.isPaused,
            state.synchronizer.session.dataTicket != nil, let metadata = try? layer.metadata(),
            !metadata.pdfSHA256.isEmpty
        else { return }
        let download = PDFDownload(
            transport: transport, folders: folders, sha256: metadata.pdfSHA256, total: metadata.pdfBytes)
        withShared { shared in
            guard !shared.isClosed else { return }
            shared.download = Task(executorPreference: DiskExecutor.shared) {
                do {
                    try await download.run(token: { self.dataToken }, progress: { self.progressed($0) })
                    self.downloadEnded(nil)
                } catch { self.downloadEnded(error) }
            }
        }
        state.download.isRunning = true
        state.download.isCancelled = false
    }

    /// Ends the download once the PDF and the layer's records are stored.
    func finishedDownload(_ state: inout Confined) -> [InstantEvent] {
        guard state.download.isWanted, state.download.hasPDF, (try? layer.metadata().cursor) != nil else { return [] }
        state.download.isWanted = false
        return [.didFinishDownload]
    }

    private func progressed(_ progress: DownloadProgress) {
        onQueue {
            var isWanted = false
            self.handle { state, _ in
                // Progress from before a cancellation is not reported: it would look like a running download.
                isWanted = state.download.isWanted && !state.download.isCancelled
                guard isWanted else { return [] }
                if progress.received > state.download.progress?.received ?? -1 { state.download.failures = 0 }
                state.download.progress = progress
                return []
            }
            if isWanted { self.tell(.didMakeProgress(progress)) }
        }
    }

    private func downloadEnded(_ error: (any Error)?) {
        onQueue {
            var events: [InstantEvent] = []
            self.handle { state, now in
                state.download.isRunning = false
                guard let error else {
                    state.download.hasPDF = true
                    return []
                }
                // If it was requested again meanwhile, it now begins.
                if state.download.isCancelled { return [] }
                switch error {
                case is CancellationError: state.download.isWanted = false
                case is PartFile.Busy: self.downloadLater(1000, &state)
                case let error where !state.download.mayRetry(error):
                    state.download.isWanted = false
                    events.append(.didFailDownload(InstantError(error)))
                default:
                    state.download.failures += 1
                    self.downloadLater(self.environment.downloadPause(state.download.failures), &state)
                    // The session's data about the PDF or the token may be outdated: request it again.
                    switch error {
                    case SyncFailure.unreachable, SyncFailure.stalled: return []
                    default: break
                    }
                    return state.synchronizer.handle(.sessionInvalidated, now: now, random: &state.random)
                }
                return []
            }
            for event in events { self.tell(event) }
        }
    }

    /// Removes a file that is not for the current token: it may contain records that the token may not see.
    func remove(pdf sha256: String) {
        withShared { shared in
            guard !shared.isClosed else { return }
            let before = shared.removal
            shared.removal = Task(executorPreference: DiskExecutor.shared) { [folders] in
                await before?.value
                // A file that cannot be removed now is removed with the storage.
                try? folders.removeIfUnused(pdf: sha256)
            }
        }
    }

    private func downloadLater(_ delay: Int64, _ state: inout Confined) {
        state.download.isPaused = true
        state.download.pauses += 1
        let pause = state.download.pauses
        onQueue(afterMilliseconds: Int(delay)) { [weak self] in
            self?.handle { state, _ in
                if state.download.pauses == pause { state.download.isPaused = false }
                return []
            }
        }
    }
}
