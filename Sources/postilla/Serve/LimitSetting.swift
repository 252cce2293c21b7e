import DocumentEngine
import SyncProtocol

/// A limit: `--limit NAME=NUMBER`, an entry in the table `[limits]` of a file, or a variable.
struct LimitSetting {
    let name: String
    /// The allowed values.
    let range: ClosedRange<Int>
    /// What the number limits, as the help shows it.
    let meaning: String
    private let place: Place

    private enum Place {
        case service(WritableKeyPath<ServiceLimits, Int>)
        /// With a default that depends on other limits.
        case derived(WritableKeyPath<ServiceLimits, Int?>, KeyPath<ServiceLimits, Int>)
        case bytes(WritableKeyPath<ServiceLimits, Int64>)
        case message(WritableKeyPath<ServerLimits, Int>)
    }

    var setting: Setting { Setting(name: "limits." + name) }

    func set(_ number: Int, in options: inout Server.Options) {
        switch place {
        case .service(let path): options.service[keyPath: path] = number
        case .derived(let path, _): options.service[keyPath: path] = number
        case .bytes(let path): options.service[keyPath: path] = Int64(number)
        case .message(let path): options.limits[keyPath: path] = number
        }
    }

    func number(in options: Server.Options) -> Int {
        switch place {
        case .service(let path): options.service[keyPath: path]
        case .derived(_, let path): options.service[keyPath: path]
        case .bytes(let path): Int(options.service[keyPath: path])
        case .message(let path): options.limits[keyPath: path]
        }
    }

    static var all: [LimitSetting] {
        [
            LimitSetting(
                "requests-per-second", 0...1_000_000, "of one user; 0: unlimited", .service(\.requestsPerSecond)),
            LimitSetting(
                "backend-requests-per-second", 0...1_000_000, "average with the backend's secret; 0: unlimited",
                .service(\.backendRequestsPerSecond)),
            LimitSetting(
                "unauthenticated-requests-per-second", 0...1_000_000,
                "from one address without a valid token or secret; 0: unlimited",
                .service(\.unauthenticatedRequestsPerSecond)),
            LimitSetting(
                "failed-logins-per-minute", 0...1_000_000, "from one address; 0: unlimited",
                .service(\.failedLoginsPerMinute)),
            LimitSetting(
                "connections", 0...10_000_000, "concurrent, by default from the limit of open files; 0: unlimited",
                .service(\.connections)),
            LimitSetting(
                "connections-per-address", 0...10_000_000, "of one address, by default half of all; 0: unlimited",
                .derived(\.connectionsPerAddress, \.effectiveConnectionsPerAddress)),
            LimitSetting("streams", 0...10_000_000, "concurrent; 0: unlimited", .service(\.streams)),
            LimitSetting(
                "streams-per-token", 0...10_000_000, "of one token, and of one user; 0: unlimited",
                .service(\.streamsPerToken)),
            LimitSetting("pdf-jobs", 1...1_000, "concurrent PDF jobs", .service(\.pdfJobs)),
            LimitSetting("waiting-pdf-jobs", 0...100_000, "queued PDF jobs", .service(\.waitingPDFJobs)),
            LimitSetting(
                "head-seconds", 0...86_400, "for the first request's head; 0: idle-seconds", .service(\.headSeconds)),
            LimitSetting("idle-seconds", 1...86_400, "between two requests on a connection", .service(\.idleSeconds)),
            LimitSetting(
                "body-bytes-per-second", 0...1_000_000_000, "minimum average rate of a request body; 0: none",
                .service(\.bodyBytesPerSecond)),
            LimitSetting(
                "answer-seconds", 90...86_400, "for the server to respond", .service(\.answerSeconds)),
            LimitSetting(
                "stall-seconds", 0...86_400, "without progress; 0: unlimited", .service(\.stallSeconds)),
            LimitSetting(
                "presence-grace-seconds", 0...45, "that a person whose connection is lost stays present",
                .service(\.presenceGraceSeconds)),
            LimitSetting("stop-seconds", 1...86_400, "for requests to end on shutdown", .service(\.stopSeconds)),
            LimitSetting(
                "free-disk-bytes", 0...(1 << 50), "free space below which nothing more is stored; 0: none",
                .bytes(\.freeDiskBytes)),
            LimitSetting("pdf-bytes", 1...(1 << 40), "of one PDF", .bytes(\.pdfBytes)),
            LimitSetting("attachment-bytes", 1...(1 << 40), "of one attachment", .bytes(\.attachmentBytes)),
            LimitSetting("record-bytes", 1_024...(1 << 24), "of one record", .message(\.recordBytes)),
            LimitSetting("batch-changes", 1...100_000, "in one request", .message(\.batchChanges)),
            LimitSetting("batch-bytes", 1_024...(1 << 28), "of one request", .message(\.batchBytes)),
            LimitSetting("page-records", 1...100_000, "in one page of a snapshot", .message(\.pageRecords)),
        ]
    }

    private init(_ name: String, _ range: ClosedRange<Int>, _ meaning: String, _ place: Place) {
        (self.name, self.range, self.meaning, self.place) = (name, range, meaning, place)
    }
}
