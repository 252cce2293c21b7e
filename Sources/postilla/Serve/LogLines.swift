import Annotations
import Logging
import Screen

/// A server's log: one line for each message, written atomically to standard error.
struct LogLines: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let format: LogFormat
    private let now: @Sendable () -> Timestamp
    private let write: @Sendable (PrintableText) -> Void

    /// - Parameter write: Receives each line with its terminator.
    init(
        _ format: LogFormat, level: Logger.Level, now: @escaping @Sendable () -> Timestamp,
        write: @escaping @Sendable (PrintableText) -> Void
    ) {
        (self.format, self.now, self.write) = (format, now, write)
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            .map { ($0.key, "\($0.value)") }
        switch format {
        case .text: write(Self.text(now(), event.level, "\(event.message)", details))
        case .json: write(Self.json(now(), event.level, "\(event.message)", details))
        }
    }

    static func text(
        _ now: Timestamp, _ level: Logger.Level, _ message: String, _ details: [(key: String, value: String)]
    ) -> PrintableText {
        let words = details.map { " \($0.key)=\($0.value)" }.joined()
        // Cleaned as one line: no logged text can look like a separate line.
        return PrintableText(CleanText(cleaning: "\(now.iso8601) \(level) \(message)\(words)")) + "\n"
    }

    static func json(
        _ now: Timestamp, _ level: Logger.Level, _ message: String, _ details: [(key: String, value: String)]
    ) -> PrintableText {
        var json = JSONWriter()
        json.object { json in
            json.member("time", now.iso8601)
            json.member("level", level.rawValue)
            json.member("message", message)
            for (key, value) in details { json.member(key, value) }
        }
        return PrintableText(json: json.text) + "\n"
    }
}

/// The format of the lines of a server's log.
enum LogFormat: String, CaseIterable {
    case text, json
}
