/// The limits of the service. 0 means no limit, unless stated otherwise.
///
/// The sizes of records and requests are in `SyncProtocol.ServerLimits`, which clients receive.
package struct ServiceLimits: Hashable, Sendable {
    /// Sustained requests per second and token; bursts can be twice as large.
    package var requestsPerSecond = 2_000
    /// The same for the customer's backend, which is trusted.
    package var backendRequestsPerSecond = 0
    /// Wrong secrets and forged tokens per minute and address; also the size of a burst. Expired tokens do not count:
    /// those of many people behind one address can expire at the same time.
    package var failedLoginsPerMinute = 60

    /// Simultaneous connections; further ones wait until one closes.
    package var connections = 0
    /// Simultaneous event streams and long polls.
    package var streams = 20_000
    package var streamsPerToken = 1_000

    /// PDFs read or written at the same time, each by separate processes; at least 1.
    package var pdfJobs = 2
    /// PDF jobs that may wait; further ones are refused.
    package var waitingPDFJobs = 32

    /// The time from the connection to the end of the first request's head.
    package var headSeconds = 20
    /// The time after which an idle connection closes; at least 1.
    package var idleSeconds = 120
    /// The minimum sustained speed of a request's body, from ten seconds after its head.
    package var bodyBytesPerSecond = 512
    /// The time after which a response that the client does not accept is aborted.
    package var stallSeconds = 60

    /// The maximum sizes of one PDF and of one attachment, in bytes.
    package var pdfBytes: Int64 = 2 << 30
    package var attachmentBytes: Int64 = 32 << 20

    /// The time that requests have to finish after the stop signal; at least 1.
    package var stopSeconds = 20

    package init() {}
}
