/// Work on PDFs, which runs in processes of its own: so much at a time, measured.
struct PDFWork: Sendable {
    let gate: Gate
    let metrics: ServerMetrics

    init(_ limits: ServiceLimits, metrics: ServerMetrics) {
        gate = Gate(width: limits.pdfJobs, line: limits.waitingPDFJobs)
        self.metrics = metrics
    }

    /// - Throws: what the body throws, or ``Refusal`` when too much waits.
    func perform<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await gate.pass {
            let start = ContinuousClock.now
            defer { metrics.pdfJob(took: start.duration(to: .now)) }
            return try await body()
        }
    }
}
