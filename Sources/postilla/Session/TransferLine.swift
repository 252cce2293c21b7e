import Annotations
import App
import FoundationEssentials
import Glibc
import Instant

/// The progress of an upload in one line of a terminal, on standard error. Elsewhere nothing is written.
struct TransferLine {
    private var meter = RateMeter()
    private var isShown = false

    private static let isPossible =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    mutating func show(_ progress: UploadProgress?) {
        guard let progress else { return clear() }
        let rate = meter.add(progress.sent, at: .now)
        guard Self.isPossible else { return }
        let status = TransferStatus(done: progress.sent, total: progress.total, bytesPerSecond: rate)
        // A line that wraps could not be removed.
        Output.status(String("Sending a file: \(status.sentence)".prefix(Self.columns - 1)))
        isShown = true
    }

    mutating func clear() {
        if isShown { Output.status(nil) }
        (isShown, meter) = (false, RateMeter())
    }

    private static var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
