import CoreMetrics
import EngineCore
import HTTPTypes
import SyncProtocol
import Synchronization

/// The server's metrics, through swift-metrics. Every label value comes from a closed list, never from an id, a name or
/// an address.
final class ServerMetrics: Sendable {
    let registry: MetricsRegistry

    /// The metrics of one kind of request.
    private struct RequestMetrics: Sendable {
        var count: Counter
        var seconds: Timer
    }

    private struct RequestKind: Hashable, Sendable {
        var route: String
        var method: String
        var status: Int
    }

    private let requests = Mutex<[RequestKind: RequestMetrics]>([:])
    private let received: Counter
    private let sent: Counter
    private let transactionWrites: Recorder
    private let transactionSeconds: Timer
    private let transactions: (committed: Counter, failed: Counter)
    private let pdfSeconds: Timer
    private let connectionCount = Atomic<Int>(0)
    private let auditLines: (written: Counter, lost: Counter)
    private let auditFailures: Counter

    init(_ registry: MetricsRegistry = MetricsRegistry(ServerMetrics.descriptions)) {
        self.registry = registry
        received = Counter(label: "postilla_http_received_bytes_total", factory: registry)
        sent = Counter(label: "postilla_http_sent_bytes_total", factory: registry)
        transactionWrites = Recorder(label: "postilla_transaction_writes", factory: registry)
        transactionSeconds = Timer(label: "postilla_transaction_seconds", factory: registry)
        transactions = (
            Counter(label: "postilla_transactions_total", dimensions: [("result", "committed")], factory: registry),
            Counter(label: "postilla_transactions_total", dimensions: [("result", "failed")], factory: registry)
        )
        pdfSeconds = Timer(label: "postilla_pdf_job_seconds", factory: registry)
        auditLines = (
            Counter(label: "postilla_audit_lines_total", dimensions: [("result", "written")], factory: registry),
            Counter(label: "postilla_audit_lines_total", dimensions: [("result", "lost")], factory: registry)
        )
        auditFailures = Counter(label: "postilla_audit_failures_total", factory: registry)
    }

    // MARK: Events

    /// - Parameters:
    ///   - route: the pattern of the address; nil: no route matches.
    ///   - duration: until the response started; a stream continues after that.
    ///   - sent: bytes of the response's body, if known in advance.
    func answered(
        _ route: String?, _ method: HTTPRequest.Method, _ status: Int, in duration: Duration, received: Int, sent: Int
    ) {
        let kind = RequestKind(
            route: route ?? "none", method: method.isKnown ? method.rawValue : "other", status: status)
        let figures = requests.withLock { requests in
            if let known = requests[kind] { return known }
            let made = RequestMetrics(
                count: Counter(
                    label: "postilla_http_requests_total",
                    dimensions: [("route", kind.route), ("method", kind.method), ("status", String(status))],
                    factory: registry),
                seconds: Timer(
                    label: "postilla_http_request_seconds", dimensions: [("route", kind.route)], factory: registry))
            requests[kind] = made
            return made
        }
        figures.count.increment()
        figures.seconds.recordNanoseconds(duration.nanoseconds)
        if received > 0 { self.received.increment(by: received) }
        if sent > 0 { self.sent.increment(by: sent) }
    }

    func refused(_ reason: ErrorAnswer.Reason) {
        Counter(label: "postilla_refusals_total", dimensions: [("reason", reason.rawValue)], factory: registry)
            .increment()
    }

    func limited(by limit: RequestLimiter.Limit) {
        Counter(label: "postilla_limited_requests_total", dimensions: [("limit", limit.rawValue)], factory: registry)
            .increment()
    }

    var openConnections: Int { connectionCount.load(ordering: .relaxed) }

    func connectionOpened() { connectionCount.wrappingAdd(1, ordering: .relaxed) }

    /// - Parameter problem: nil: no timeout ended it.
    func connectionClosed(_ phase: ConnectionTimeouts.Phase, _ problem: ConnectionTimeouts.Problem?) {
        connectionCount.wrappingSubtract(1, ordering: .relaxed)
        Counter(
            label: "postilla_connections_closed_total",
            dimensions: [("state", phase.rawValue), ("timeout", problem == nil ? "no" : "yes")], factory: registry
        ).increment()
        // An idle connection or one whose client does not close it is not slow.
        guard let problem, problem != .idle, problem != .lingering else { return }
        Counter(label: "postilla_slow_connections_total", dimensions: [("reason", problem.rawValue)], factory: registry)
            .increment()
    }

    func ended(_ transaction: WriteQueue.Transaction) {
        (transaction.isCommitted ? transactions.committed : transactions.failed).increment()
        transactionWrites.record(transaction.writes)
        transactionSeconds.recordNanoseconds(transaction.duration.nanoseconds)
    }

    func pdfJob(took duration: Duration) { pdfSeconds.recordNanoseconds(duration.nanoseconds) }

    func audited(lines: Int) { if lines > 0 { auditLines.written.increment(by: lines) } }

    func auditLost() { auditLines.lost.increment() }

    func auditFailed() { auditFailures.increment() }

    // MARK: Gauges

    /// Sets a gauge that is read when the metrics are requested.
    func set(_ name: Gauge, _ value: Double) { Meter(label: name.rawValue, factory: registry).set(value) }

    enum Gauge: String, CaseIterable, Sendable {
        case connections = "postilla_connections_open"
        case freeDisk = "postilla_disk_free_bytes"
        case streams = "postilla_streams_open"
        case damagedRows = "postilla_damaged_rows"
        case damageFound = "postilla_damage_found"
        case waitingWrites = "postilla_writes_waiting"
        case runningPDFJobs = "postilla_pdf_jobs_running"
        case waitingPDFJobs = "postilla_pdf_jobs_waiting"
        case ready = "postilla_ready"
        case memory = "process_resident_memory_bytes"
        case files = "process_open_fds"
        case fileLimit = "process_max_fds"
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
