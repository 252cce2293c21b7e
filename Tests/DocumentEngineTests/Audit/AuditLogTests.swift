import Annotations
import Foundation
import Glibc
import Synchronization
import TestThreads
import Testing

@testable import DocumentEngine

/// The audit log when its file cannot be written.
@Suite(.timeLimit(.minutes(15))) struct AuditLogTests {
    private static func event(_ name: String) -> AuditEvent {
        var details = AuditEvent.Details(actor: .backend(secret: 1))
        details.document = name
        return AuditEvent(time: TestClock.start, action: .upload, details: details)
    }

    /// The documents and counts of the lines in a text.
    private static func names(_ text: String) throws -> [String] {
        try text.split(separator: "\n").map { line in
            let line = try JSON(parsing: String(line))
            return line["document_id"]?.string ?? "\(line["action"]?.string ?? "") \(line["count"]?.integer ?? 0)"
        }
    }

    private static func figures(_ metrics: ServerMetrics, _ name: String) -> Int {
        MetricsText.text(metrics.registry).split(separator: "\n").filter { $0.hasPrefix(name + " ") }
            .compactMap { Int($0.split(separator: " ").last ?? "") }.first ?? 0
    }

    /// A pipe that nobody empties fails like a full disk: at some point, in the middle of a line.
    private struct FullPipe {
        let path: String
        let reader: CInt

        init(in folder: TemporaryFolder) throws {
            path = folder.path + "/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            try #require(reader >= 0)
        }

        /// Fills the pipe to the last byte.
        func fill() throws {
            let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            try #require(writer >= 0)
            defer { close(writer) }
            let feeds = [UInt8](repeating: 0x0A, count: 4096)
            while write(writer, feeds, feeds.count) > 0 {}
            while write(writer, feeds, 1) > 0 {}
        }

        /// Everything in the pipe now.
        func drained() -> String {
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(reader, &buffer, buffer.count)
                guard count > 0 else { return String(decoding: text, as: UTF8.self) }
                text += buffer[..<count]
            }
        }
    }

    @Test func aLineThatWasCutIsCompletedLater() throws {
        let folder = try TemporaryFolder()
        let pipe = try FullPipe(in: folder)
        defer { close(pipe.reader) }
        var file = try AuditFile(pipe.path)
        defer { file.close() }
        let lines = (0..<1000).map { "\($0) " + String(repeating: "x", count: 150) + "\n" }
        var waiting = Array(lines.joined().utf8)
        var (written, failures) = ("", 0)
        while !waiting.isEmpty {
            do { try file.append(&waiting) } catch { failures += 1 }
            written += pipe.drained()
        }
        #expect(failures > 0)
        #expect(written == lines.joined())
    }

    /// After a rotation in the middle of a line, the new file has the whole line.
    @Test func aNewFileBeginsWithAWholeLine() throws {
        let folder = try TemporaryFolder()
        let pipe = try FullPipe(in: folder)
        defer { close(pipe.reader) }
        var file = try AuditFile(pipe.path)
        defer { file.close() }
        var waiting = Array((0..<1000).map { "\($0) " + String(repeating: "x", count: 150) + "\n" }.joined().utf8)
        #expect(throws: StoreError.self) { try file.append(&waiting) }
        #expect(pipe.drained().last != "\n")
        let rest = String(decoding: waiting, as: UTF8.self)
        try FileManager.default.removeItem(atPath: pipe.path)
        try file.reopen()
        try file.append(&waiting)
        #expect(waiting.isEmpty)
        #expect(try String(contentsOfFile: pipe.path, encoding: .utf8) == rest)
    }

    /// A process was killed in the middle of a line.
    @Test func aTornLineDoesNotSpoilTheNext() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/audit"
        try Data("{\"a\":1}\n{\"b".utf8).write(to: URL(fileURLWithPath: path))
        var file = try AuditFile(path)
        var lines = Array("{\"c\":1}\n".utf8)
        try file.append(&lines)
        file.close()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"a\":1}\n{\"b\n{\"c\":1}\n")
    }

    /// While nothing can be written, the server continues; afterwards the log states how much is missing.
    @Test func aFailingLogStopsNothingAndCatchesUp() async throws {
        let folder = try TemporaryFolder()
        let pipe = try FullPipe(in: folder)
        defer { close(pipe.reader) }
        let (recorded, metrics) = (RecordedLog(), ServerMetrics())
        let log = try AuditLog(
            pipe.path, maxBytes: 1000, retryAfter: .milliseconds(1), now: { TestClock.start }, logger: recorded.logger,
            metrics: metrics)
        try pipe.fill()
        for n in 0..<100 { log.record(Self.event("d\(n)")) }
        // The first failure may be of an attempt that began before the last line was lost.
        let failures = Self.figures(metrics, "postilla_audit_failures_total")
        try await waitUntil("the failure is counted") {
            Self.figures(metrics, "postilla_audit_failures_total") > failures + 1
        }
        let lost = Self.figures(metrics, #"postilla_audit_lines_total{result="lost"}"#)
        #expect(lost > 0 && lost < 100)
        var text = ""
        // Nothing new is recorded meanwhile.
        try await waitUntil("the lines are written") {
            text += pipe.drained()
            return text.contains(#""action":"lose""#) && text.hasSuffix("\n")
        }
        #expect(try Self.names(text) == (0..<100 - lost).map { "d\($0)" } + ["lose \(lost)"])
        log.record(Self.event("after"))
        await log.close()
        #expect(try Self.names(pipe.drained()) == ["after"])
        #expect(recorded.text.components(separatedBy: "error cannot write the audit log").count == 2)
        #expect(recorded.text.contains("notice the audit log can be written again"))
        #expect(Self.figures(metrics, #"postilla_audit_lines_total{result="written"}"#) == 102 - lost)
    }
}
