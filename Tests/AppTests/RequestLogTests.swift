import Annotations
import InstantCore
import Testing

@testable import App

/// The log of requests to the server.
@Suite struct RequestLogTests {
    private func stage() -> Stage {
        let services = Sample.services()
        services.requests = [
            SentRequest(at: .noon + 2000, method: "GET", path: "events"),
            SentRequest(at: .noon + 1000, method: "POST", path: "changes", outcome: "200", milliseconds: 12),
            SentRequest(at: .noon, method: "GET", path: "session", outcome: "401", milliseconds: 3),
        ]
        return Stage(services)
    }

    @Test func theNewestIsFirst() throws {
        let stage = stage()
        try stage.press(":requests<enter>")
        #expect(stage.lines[1].hasPrefix("─ Requests to the server: 3, newest first (Esc to close) ──"))
        #expect(stage.lines[2].hasPrefix("  12:00:02  GET  events "))
        #expect(stage.lines[2].hasSuffix(" pending"))
        #expect(stage.lines[3].hasPrefix("  12:00:01  POST changes "))
        #expect(stage.lines[3].hasSuffix("12 ms  200"))
        #expect(stage.lines[4].hasSuffix("3 ms  401"))
        try stage.press("<esc>")
        #expect(!stage.screen.contains("Requests"))
        #expect(stage.state.document != nil)
    }

    @Test func itIsReadAgainWhenSomethingWasHeard() throws {
        let stage = stage()
        stage.send(.status(SyncStatus(connection: .idle, grant: .hotos())))
        #expect(!stage.asked.contains(.loadRequests))
        try stage.press(":requests<enter>")
        stage.services.requests.insert(SentRequest(at: .noon, method: "GET", path: "digest"), at: 0)
        stage.send(.status(.live()))
        #expect(stage.screen.contains("Requests to the server: 4"))
        #expect(stage.asked.count { $0 == .loadRequests } == 2)
    }

    @Test func aLongLogScrolls() throws {
        let stage = stage()
        stage.services.requests = (0..<100).map { SentRequest(at: .noon, method: "GET", path: "request-\($0)") }
        try stage.press(":requests<enter>")
        #expect(stage.lines[2].contains("request-0 "))
        try stage.press("G")
        #expect(stage.screen.contains("request-99 "))
        try stage.press("gg3j")
        #expect(stage.lines[2].contains("request-3 "))
        try stage.press("q")
        #expect(!stage.screen.contains("Requests"))
    }

    @Test func whatServersSayIsCleaned() throws {
        let stage = stage()
        stage.services.requests = [SentRequest(at: .noon, method: "GET", path: "x", outcome: "\u{1B}]0;no\u{7}")]
        try stage.press(":requests<enter>")
        #expect(!stage.screen.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" })
    }
}
