import Annotations
import Testing

@testable import Instant

/// What the recorder stores of requests, and what it omits.
@Suite struct RequestRecorderTests {
    private let recorder = RequestRecorder(now: { Timestamp(milliseconds: 5000) })

    @Test func theNewestIsFirstAndSaysWhatCameOfIt() {
        let session = recorder.began("GET", url: "https://example.org/instant/v1/session")
        _ = recorder.began("GET", url: "https://example.org/base/instant/v1/events?session=abc")
        recorder.ended(session, "200")
        #expect(recorder.requests.map(\.path) == ["events", "session"])
        #expect(recorder.requests.map(\.outcome) == [nil, "200"])
        #expect(recorder.requests.map(\.milliseconds) == [nil, 0])
    }

    /// A cursor names records, and anyone with a session id can act as its owner.
    @Test func nothingBehindTheQuestionMarkIsKept() {
        _ = recorder.began("GET", url: "https://example.org/instant/v1/records?after=secret")
        #expect(!"\(recorder.requests)".contains("secret"))
    }

    @Test func theOldestAreForgottenAndLateAnswersFindTheirOwn() {
        let numbers = (0..<RequestRecorder.maxCount + 10).map { recorder.began("GET", url: "/instant/v1/\($0)") }
        #expect(recorder.requests.count == RequestRecorder.maxCount)
        recorder.ended(numbers[0], "200")
        recorder.ended(numbers[10], "404")
        #expect(recorder.requests.last?.path == "10")
        #expect(recorder.requests.last?.outcome == "404")
        #expect(recorder.requests.compactMap(\.outcome) == ["404"])
    }
}
