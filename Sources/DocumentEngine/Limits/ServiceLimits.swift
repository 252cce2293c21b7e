/// What a server takes of whom. 0 stands for no limit, unless something else is said.
///
/// Sizes of records and requests are `SyncProtocol.Limits`: clients are told of those.
package struct ServiceLimits: Hashable, Sendable {
    /// Requests a second with one token in the long run; twice as many at once.
    package var requestsPerSecond = 2_000
    /// The same for the customer's backend, which is trusted.
    package var backendRequestsPerSecond = 0
    /// Wrong secrets and forged tokens from one address in a minute, and as many at once. Tokens that have merely ended do
    /// not count: a room of people behind one address may have theirs end at the same moment.
    package var failedLoginsPerMinute = 60

    /// Connections that are open at the same time; more wait until one is closed.
    package var connections = 0
    /// Streams of events and long polls that are open at the same time.
    package var streams = 20_000
    package var streamsPerToken = 1_000

    /// PDFs that are read or written at the same time, each in processes of its own; at least 1.
    package var pdfJobs = 2
    /// How many may wait for their turn; who comes then is turned away.
    package var waitingPDFJobs = 32

    /// From the connection to the end of the first request's head.
    package var headSeconds = 20
    /// A connection on which nothing is asked or answered is closed; at least 1.
    package var idleSeconds = 120
    /// What a request's body has to bring in the long run, counted from ten seconds after its head on.
    package var bodyBytesPerSecond = 512
    /// An answer of which nothing was taken for so long is given up.
    package var stallSeconds = 60

    /// Bytes of one PDF and of one attachment.
    package var pdfBytes: Int64 = 2 << 30
    package var attachmentBytes: Int64 = 32 << 20

    /// After the signal to stop: how long requests may take to end; at least 1.
    package var stopSeconds = 20

    package init() {}
}
