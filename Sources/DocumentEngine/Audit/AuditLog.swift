import Annotations
import EngineCore
import Logging
import Synchronization

/// The server's audit log: one JSON line per audited request, in order, each durable as soon as the disk allows.
///
/// A thread of its own writes, so that neither an event loop nor a request waits for the disk. A log that cannot be
/// written therefore does not stop the server: the failure is logged and counted, and lines are kept in memory, up to a
/// limit, until the file can be written again.
final class AuditLog: Sendable {
    private struct State {
        /// Lines that the writer has not taken yet.
        var lines: [UInt8] = []
        /// The bytes of the lines that it has taken and could not write.
        var unwritten = 0
        var isScheduled = false
        var isRetrying = false
        /// Lines dropped since the last line about such a loss.
        var lost = 0
    }

    /// What only the writer's thread uses.
    private struct Output {
        var file: AuditFile
        /// Older than all other lines.
        var unwritten: [UInt8] = []
        var isFailing = false
    }

    /// The maximum number of bytes of waiting lines.
    private let maxBytes: Int
    /// How long after a failure the next attempt begins.
    private let retryAfter: Duration
    private let state = Mutex(State())
    private let writer = WorkerThreads(width: 1)
    private let output: Mutex<Output>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let metrics: ServerMetrics

    /// - Parameter path: ``AuditFile/standardError`` or the path of a file.
    /// - Throws: ``StoreError`` if the file cannot be opened.
    init(
        _ path: String, maxBytes: Int = 4 << 20, retryAfter: Duration = .seconds(1),
        now: @escaping @Sendable () -> Timestamp, logger: Logger, metrics: ServerMetrics
    ) throws(StoreError) {
        output = Mutex(Output(file: try AuditFile(path)))
        (self.maxBytes, self.retryAfter) = (maxBytes, retryAfter)
        (self.now, self.logger, self.metrics) = (now, logger, metrics)
    }

    func record(_ event: AuditEvent) {
        let line = Array(event.line.utf8)
        let (isDue, isLost) = state.withLock { state in
            let isLost = state.unwritten + state.lines.count + line.count > maxBytes
            if isLost { state.lost += 1 } else { state.lines += line }
            defer { state.isScheduled = true }
            return (!state.isScheduled, isLost)
        }
        if isLost { metrics.auditLost() }
        if isDue { writer.submit { [self] in write() } }
    }

    /// Opens the file again, after it was renamed for rotation. Lines recorded before go to the earlier file, later ones
    /// to the new one.
    func reopen() {
        let before = state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
        writer.submit { [self] in
            _ = append(before)
            let problem = output.withLock { output in
                do throws(StoreError) {
                    try output.file.reopen()
                    return StoreError?.none
                } catch { return error }
            }
            if let problem { failed(problem) }
            write()
        }
    }

    /// Writes the waiting lines and closes the file. Gives up if the file accepts nothing.
    func close() async {
        await withCheckedContinuation { continuation in
            let once = OnceResumed(continuation)
            writer.submit { [self] in
                write()
                output.withLock { $0.file.close() }
                once.resume()
            }
            Task {
                try? await Task.sleep(for: .seconds(5))
                once.resume()
            }
        }
    }

    // MARK: On the writer's thread

    private func write() {
        let (lines, lost) = state.withLock { state in
            // Taken lines count towards the limit until they are written; otherwise later lines would follow lost ones.
            state.unwritten += state.lines.count
            defer { (state.lines, state.isScheduled) = ([], false) }
            return (state.lines, state.lost)
        }
        guard append(lines), lost > 0 else { return }
        // The lines were dropped after the ones that are now written.
        state.withLock { $0.lost -= lost }
        var details = AuditEvent.Details(actor: .server)
        details.count = lost
        _ = append(Array(AuditEvent(time: now(), action: .lose, details: details).line.utf8))
    }

    /// - Returns: whether everything is written, including what could not be written before.
    private func append(_ lines: [UInt8]) -> Bool {
        let (written, rest, problem) = output.withLock { output in
            output.unwritten += lines
            let count = Self.lineCount(output.unwritten)
            var problem: StoreError?
            do throws(StoreError) { try output.file.append(&output.unwritten) } catch { problem = error }
            return (count - Self.lineCount(output.unwritten), output.unwritten.count, problem)
        }
        metrics.audited(lines: written)
        let isDue = state.withLock { state in
            state.unwritten = rest
            guard rest > 0, !state.isRetrying else { return false }
            state.isRetrying = true
            return true
        }
        if isDue { retry() }
        if let problem { failed(problem) } else if written > 0 { succeeded() }
        return problem == nil
    }

    /// Retries even if nothing more is recorded.
    private func retry() {
        Task { [self] in
            try? await Task.sleep(for: retryAfter)
            state.withLock { $0.isRetrying = false }
            writer.submit { [self] in write() }
        }
    }

    private static func lineCount(_ lines: [UInt8]) -> Int { lines.count { $0 == UInt8(ascii: "\n") } }

    private func failed(_ problem: StoreError) {
        metrics.auditFailed()
        let isFirst = output.withLock { output in
            defer { output.isFailing = true }
            return !output.isFailing
        }
        // Once, not for each line.
        if isFirst { logger.error("cannot write the audit log", metadata: ["error": "\(problem)"]) }
    }

    private func succeeded() {
        let wasFailing = output.withLock { output in
            defer { output.isFailing = false }
            return output.isFailing
        }
        if wasFailing { logger.notice("the audit log can be written again") }
    }
}

/// A continuation that whichever comes first resumes.
private final class OnceResumed: Sendable {
    private let continuation: Mutex<CheckedContinuation<Void, Never>?>

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

    func resume() {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume()
    }
}
