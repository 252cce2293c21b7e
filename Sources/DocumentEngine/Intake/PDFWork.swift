/// Work on PDFs, which runs in processes of its own: so much at a time, measured.
struct PDFWork: Sendable {
    let gate: AsyncSemaphore
    let metrics: ServerMetrics

    init(_ limits: ServiceLimits, metrics: ServerMetrics) {
        gate = AsyncSemaphore(width: limits.pdfJobs, line: limits.waitingPDFJobs)
        self.metrics = metrics
    }

    /// - Throws: what the body throws, or ``APIError`` when too much waits.
    func perform<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await gate.pass {
            let start = ContinuousClock.now
            defer { metrics.pdfJob(took: start.duration(to: .now)) }
            return try await body()
        }
    }
}
