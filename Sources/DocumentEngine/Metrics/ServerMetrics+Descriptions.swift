extension ServerMetrics {
    static let descriptions: [String: MetricsRegistry.Description] = [
        "postilla_http_requests_total": .init(help: "Requests by pattern of the address, method and status."),
        "postilla_http_request_seconds": .init(
            help: "From a request's head to the beginning of its answer.", bounds: seconds),
        "postilla_http_received_bytes_total": .init(help: "Bytes of request bodies whose length was told."),
        "postilla_http_sent_bytes_total": .init(help: "Bytes of answers whose length was told; streams are not in it."),
        "postilla_refusals_total": .init(help: "Requests that were refused, by reason."),
        "postilla_slow_connections_total": .init(help: "Connections that were closed because they were too slow."),
        "postilla_transactions_total": .init(help: "Transactions of the store, committed or failed."),
        "postilla_transaction_writes": .init(
            help: "How many writes shared one transaction.", bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024]),
        "postilla_transaction_seconds": .init(
            help: "How long a transaction took, the disk included.", bounds: seconds),
        "postilla_pdf_job_seconds": .init(
            help: "How long reading or writing a PDF took.", bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]),
        Gauge.streams.rawValue: .init(help: "Streams of events and long polls that are open."),
        Gauge.waitingWrites.rawValue: .init(help: "Writes that wait for the next transaction."),
        Gauge.runningPDFJobs.rawValue: .init(help: "PDFs that are being read or written."),
        Gauge.waitingPDFJobs.rawValue: .init(help: "PDFs that wait for their turn."),
        Gauge.ready.rawValue: .init(help: "1: the store answers and the server is not stopping."),
        Gauge.memory.rawValue: .init(help: "Memory of the process that is in use."),
        Gauge.files.rawValue: .init(help: "Files and connections that the process has open."),
        Gauge.fileLimit.rawValue: .init(help: "How many it may have open."),
    ]

    private static let seconds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
}
