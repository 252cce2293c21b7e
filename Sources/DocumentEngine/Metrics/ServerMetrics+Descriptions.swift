extension ServerMetrics {
    static let descriptions: [String: MetricsRegistry.Description] = [
        "postilla_http_requests_total": .init(help: "Requests by route, method and status."),
        "postilla_http_request_seconds": .init(
            help: "Time from the request's head to the start of the response.", bounds: seconds),
        "postilla_http_received_bytes_total": .init(help: "Bytes of request bodies of known length."),
        "postilla_http_sent_bytes_total": .init(help: "Bytes of response bodies of known length, excluding streams."),
        "postilla_refusals_total": .init(help: "Rejected requests by reason."),
        "postilla_limited_requests_total": .init(help: "Requests refused because of a limit, by its setting."),
        "postilla_slow_connections_total": .init(help: "Connections closed because they were too slow."),
        "postilla_connections_closed_total": .init(
            help: "Closed connections by what they waited for, and whether a timeout closed them."),
        "postilla_transactions_total": .init(help: "Transactions of the store by result."),
        "postilla_transaction_writes": .init(
            help: "Writes per transaction.", bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024]),
        "postilla_transaction_seconds": .init(
            help: "Duration of a transaction, including disk time.", bounds: seconds),
        "postilla_audit_lines_total": .init(help: "Lines of the audit log by result."),
        "postilla_audit_failures_total": .init(help: "Failed attempts to write or reopen the audit log."),
        "postilla_pdf_job_seconds": .init(
            help: "Time to read or write a PDF.", bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]),
        Gauge.connections.rawValue: .init(help: "Open connections."),
        Gauge.freeDisk.rawValue: .init(help: "Free bytes of the fullest disk that the server writes to."),
        Gauge.streams.rawValue: .init(help: "Open event streams and long polls."),
        Gauge.damagedRows.rawValue: .init(help: "Damaged rows that were read since the start and left out."),
        Gauge.damageFound.rawValue: .init(help: "Problems found by the last daily check of all stored rows."),
        Gauge.waitingWrites.rawValue: .init(help: "Writes queued for the next transaction."),
        Gauge.runningPDFJobs.rawValue: .init(help: "Running PDF jobs."),
        Gauge.waitingPDFJobs.rawValue: .init(help: "Queued PDF jobs."),
        Gauge.ready.rawValue: .init(help: "1 if the server is ready, as /readiness reports, else 0."),
        Gauge.memory.rawValue: .init(help: "Resident memory of the process."),
        Gauge.files.rawValue: .init(help: "Open file descriptors of the process."),
        Gauge.fileLimit.rawValue: .init(help: "Maximum number of open file descriptors."),
    ]

    private static let seconds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
}
