/// The limits of the service. 0 means no limit, unless stated otherwise.
///
/// The sizes of records and requests are in `SyncProtocol.ServerLimits`, which clients receive.
package struct ServiceLimits: Hashable, Sendable {
    /// Requests per second, sustained, by one user with all tokens that name the `user_id`, or with one token without
    /// `user_id`; bursts of twice as many.
    package var requestsPerSecond = 2_000
    /// Requests per second by the customer's backend, which is trusted.
    package var backendRequestsPerSecond = 0
    /// Requests per second and address without a valid token or secret, sustained; bursts of twice as many. Health checks
    /// do not count.
    package var unauthenticatedRequestsPerSecond = 100
    /// Wrong secrets and, counted separately, forged tokens, per minute and address; also the burst. Expired tokens do
    /// not count, because those of many people behind one address may expire at the same time.
    package var failedLoginsPerMinute = 60

    /// Simultaneous connections; further ones wait until one closes.
    package var connections = defaultConnections(files: ProcessMetrics.fileLimit)
    /// Simultaneous connections of one address, also of the loopback; nil: ``effectiveConnectionsPerAddress``.
    package var connectionsPerAddress: Int?
    /// Simultaneous event streams and long polls.
    package var streams = 20_000
    /// Simultaneous event streams and long polls with one token, and with all tokens of one user.
    package var streamsPerToken = 1_000

    /// PDFs read or written at the same time, each by separate processes; at least 1.
    package var pdfJobs = 2
    /// PDF jobs that may wait; further ones are refused.
    package var waitingPDFJobs = 32

    /// The time from the connection to the end of the first request's head; 0: ``idleSeconds``.
    package var headSeconds = 20
    /// The time after which an idle connection closes; at least 1.
    package var idleSeconds = 120
    /// The minimum sustained speed of a request's body, from ten seconds after its head.
    package var bodyBytesPerSecond = 512
    /// The time that the server has for a response, or for the next part of it; at least 1. Longer than a long poll.
    package var answerSeconds = 600
    /// The time after which a response that the client does not accept is aborted.
    package var stallSeconds = 60

    /// The time that a participant stays present after the connection was lost, 0 to 45.
    package var presenceGraceSeconds = 10

    /// The free bytes of the disk below which nothing more is stored.
    package var freeDiskBytes: Int64 = 256 << 20

    /// The maximum bytes of one PDF and of one attachment.
    package var pdfBytes: Int64 = 2 << 30
    package var attachmentBytes: Int64 = 32 << 20

    /// The time that requests have to finish after the stop signal; at least 1.
    package var stopSeconds = 20

    package init() {}

    /// Half of all connections, unless stated otherwise.
    package var effectiveConnectionsPerAddress: Int {
        connectionsPerAddress ?? (connections > 0 ? max(1, connections / 2) : 0)
    }

    /// Half of the files that the process may open, after a reserve for the store and child processes, because a
    /// connection may need a second file for its upload or download.
    static func defaultConnections(files: Int?) -> Int {
        min(max(16, ((files ?? 1_024) - 256) / 2), 50_000)
    }
}
