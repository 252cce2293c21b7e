import Foundation
import InstantCore
import Testing

@testable import Instant

/// With arbitrary data on a live stream, the rows stay unchanged, and edits are still sent.
@Suite(.timeLimit(.minutes(15))) struct HostileStreamTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: Stream.all) func nothingOnAStreamHoldsBackTheRest(_ stream: Stream) async throws {
        let server = try plainServer { request in
            request.path.hasSuffix("/events") ? stream.answer : nil
        }
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        descriptor.delayForSyncingLocalChanges = .zero
        var events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        events = descriptor.events
        descriptor.startListeningForServerChanges()
        // The first stream was read, then closed or reopened.
        try await wait(in: events) { event -> Void? in
            descriptor.retryNow()
            return server.requests.count { $0.path.hasSuffix("/events") } > 1 ? () : nil
        }
        _ = try descriptor.create(note("mine"))
        try await wait(in: events) { event -> Void? in
            descriptor.retryNow()
            return descriptor.status.unsent == 0 ? () : nil
        }
        #expect(try descriptor.layer.rows(ListQuery(), offset: 0, limit: 9).map(\.text) == ["mine"])
        #expect(descriptor.status.problem?.contains(token()) != true)
        withExtendedLifetime(client) {}
    }

    struct Stream: CustomTestStringConvertible {
        var testDescription: String
        var answer: FakeServer.Answer

        private init(_ name: String, _ body: String, type: String = "text/event-stream", cutAfter: Int? = nil) {
            testDescription = name
            answer = FakeServer.Answer(headers: ["content-type": type], body: Array(body.utf8), cutAfter: cutAfter)
        }

        private static let record =
            #"{"id":"r","content":{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":"planted"},"createdBy":null,"updatedBy":null,"group":null,"revision":"#

        private static func change(_ epoch: String, _ revision: String, after previous: String) -> String {
            "event: change\ndata: "
                + #"{"epoch":"\#(epoch)","revision":\#(revision),"previous":\#(previous),"changes":[\#(record)\#(revision)}]}"#
                + "\n\n"
        }

        static let all = [
            Stream("nothing", ""), Stream("a page", "<html>", type: "text/html"),
            Stream("bytes that mean nothing", "\u{0}\u{1}\u{7F}\n\n\r\r\n: \n\n"),
            Stream("a line of ten megabytes", "data: " + String(repeating: "x", count: 10 << 20)),
            Stream("an event of many lines", String(repeating: "data: x\n", count: 1 << 20)),
            Stream("an invalid change", "event: change\ndata: {}\n\n"),
            Stream("a truncated change", change("e", "1", after: "0"), cutAfter: 60),
            Stream("a revision that goes backwards", change("e", "-5", after: "-6")),
            Stream("a revision too large for an integer", change("e", "9223372036854775808", after: "0")),
            Stream("a gap", change("e", "900", after: "899")),
            Stream("another epoch", change("other", "1", after: "0")),
            Stream("heartbeats", String(repeating: ": still here\n\n", count: 10_000)),
        ]
    }
}
