import Annotations
import Logging
import Screen
import Synchronization
import Testing

@testable import postilla

struct LogLinesTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: PrintableText) { lines.withLock { $0.append(line.string) } }
    }

    private static func log(_ format: LogFormat, _ write: (Logger) -> Void) -> [String] {
        let lines = Lines()
        write(
            Logger(label: "test") { _ in
                LogLines(format, level: .info, now: { Timestamp(seconds: 1_800_000_000) }, write: lines.add)
            })
        return lines.all
    }

    @Test func textIsOneLine() {
        let lines = Self.log(.text) { logger in
            logger.info("request", metadata: ["status": "200", "ms": "1.5"])
            logger.debug("not asked for")
        }
        #expect(lines == ["2027-01-15T08:00:00.000Z info request ms=1.5 status=200\n"])
    }

    @Test func jsonIsOneObject() throws {
        let lines = Self.log(.json) { logger in
            var logger = logger
            logger[metadataKey: "request"] = "r1"
            logger.error("it \"failed\"", metadata: ["status": "500"])
        }
        #expect(
            lines == [
                #"{"time":"2027-01-15T08:00:00.000Z","level":"error","message":"it \"failed\"","request":"r1","status":"500"}"#
                    + "\n"
            ])
    }

    /// Text from others cannot start a new log line or control the terminal that shows the log.
    @Test(arguments: LogFormat.allCases) func nothingBreaksOutOfItsLine(_ format: LogFormat) {
        let lines = Self.log(format) { $0.warning("a\nb", metadata: ["x": "1\r\n2\u{1b}[2J\u{9b}"]) }
        #expect(lines.count == 1)
        #expect(lines[0].dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
}
