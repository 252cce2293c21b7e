import FoundationEssentials
import Logging

/// How `serve` says what is wrong while its log is not set up: in the log's own format where other lines would disturb
/// its readers, otherwise in plain words on standard error.
struct ServeVoice {
    /// nil: plain words.
    private let format: LogFormat?

    /// - Parameters:
    ///   - isCheck: whether a check writes its report, rather than a log.
    ///   - toLog: whether it goes to the log all the same.
    init(_ options: ServeOptions, isCheck: Bool, toLog: Bool) {
        let format = Self.format(options)
        self.format = toLog ? format : isCheck || format == .text ? nil : format
    }

    /// The format of the log, even if another setting is wrong.
    private static func format(_ options: ServeOptions) -> LogFormat {
        if let settings = try? options.settings() { return (try? settings.choice(.logFormat)) ?? .text }
        let variable = ProcessInfo.processInfo.environment[Setting.logFormat.variable]
        return (options.logFormat ?? variable).flatMap(LogFormat.init) ?? .text
    }

    func error(_ sentence: String) {
        guard let format else { return Output.error(sentence) }
        write(.error, sentence, format)
    }

    func warning(_ sentence: String) {
        guard let format else { return Output.message(sentence) }
        write(.warning, sentence, format)
    }

    func noErrors() {
        guard let format else { return Output.message("No errors.") }
        write(.info, "the check found no errors", format)
    }

    private func write(_ level: Logger.Level, _ sentence: String, _ format: LogFormat) {
        switch format {
        case .text: Output.logLine(LogLines.text(.now, level, sentence, []))
        case .json: Output.logLine(LogLines.json(.now, level, sentence, []))
        }
    }
}
