import Annotations
import SyncProtocol
import TestSupport
import Testing

@Suite("Server-sent events")
struct ServerSentEventTests {
    private static let events: [LiveEvent] = [
        .session(SessionEvent(.open)), .heartbeat, .change(Sample.change), .heartbeat,
        .presence(PresenceEvent(isComplete: true, people: [Sample.person])), .presence(PresenceEvent(left: ["n1-4"])),
        .session(SessionEvent(.expiring, at: Timestamp(seconds: 4_000_000_000))),
    ]

    private static let stream = events.flatMap(\.frame)

    @Test func frames() {
        #expect(String(decoding: LiveEvent.heartbeat.frame, as: UTF8.self) == ": still here\n\n")
        let change = ChangeEvent(epoch: "e", revision: 5, previous: 4, changes: [])
        #expect(
            String(decoding: LiveEvent.change(change).frame, as: UTF8.self)
                == "id: e.5\nevent: change\ndata: {\"epoch\":\"e\",\"revision\":5,\"previous\":4,\"changes\":[]}\n\n")
    }

    @Test("Split in two at every byte")
    func everySplit() throws {
        for cut in 0...Self.stream.count {
            var parser = ServerSentEventParser()
            let events = try parser.feed(Self.stream[..<cut]) + parser.feed(Self.stream[cut...])
            #expect(events == Self.events, "cut at \(cut)")
        }
    }

    @Test("Byte by byte, with each of the three line ends", arguments: ["\n", "\r", "\r\n"])
    func lineEnds(end: String) throws {
        let text = String(decoding: Self.stream, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: end)
        var parser = ServerSentEventParser()
        let events = try text.utf8.flatMap { try parser.feed([$0]) }
        #expect(events == Self.events)
    }

    @Test("A record with line breaks between its members fits into one event")
    func oneLine() throws {
        let record = Record(id: "a", content: try Content("{\n  \"v\": 1,\r\n  \"text\": \"two\\nlines\"\r}"))
        let event = LiveEvent.change(ChangeEvent(epoch: "e", revision: 2, previous: 1, changes: [.record(record, 2)]))
        var parser = ServerSentEventParser()
        #expect(try parser.feed(event.frame) == [event])
    }

    @Test(arguments: [
        ("\u{FEFF}event: session\ndata: {\"kind\":\"open\"}\n\n", 1),
        ("event:session\ndata:{\"kind\":\"open\"}\n\n", 1),
        ("data: {\"kind\":\"open\"}\nevent: session\n\n", 1),
        ("event: session\ndata: {\"kind\":\ndata: \"open\"}\n\n", 1),
        ("retry: 10\nid: 5\nnew: x\nevent: session\ndata: {\"kind\":\"open\"}\n\n", 1), (":\n\n:x\n", 2),
        ("event: session\n\n", 0), ("event: tomorrow\ndata: {}\n\n", 0), ("data: no name\n\n", 0),
        ("event\ndata\n\n", 0),
        ("event: session\ndata: {\"kind\":\"open\"}\n", 0), ("\n\n\n", 0),
    ])
    func oddButFine(text: String, count: Int) throws {
        var parser = ServerSentEventParser()
        #expect(try parser.feed(text.utf8).count == count)
    }

    @Test("An event ends with its blank line: nothing leaks into the next one")
    func eventsAreSeparate() throws {
        var parser = ServerSentEventParser()
        #expect(try parser.feed("event: change\n\ndata: {\"kind\":\"open\"}\n\n".utf8) == [])
        #expect(
            try parser.feed("event: session\ndata: {\"kind\":\"open\"}\n\n".utf8) == [.session(SessionEvent(.open))])
        #expect(try parser.feed("event: session\n\n".utf8) == [], "no data from the previous event")
    }

    @Test(arguments: [
        "event: change\ndata: {}\n\n", "event: session\ndata: {\"kind\":\"new\"}\n\n", "event: change\ndata:\n\n",
    ])
    func badEvents(text: String) {
        var parser = ServerSentEventParser()
        #expect(throws: ServerSentEventParser.Failure.self) { try parser.feed(text.utf8) }
    }

    @Test(
        "Neither a line nor an event of many lines grows without limit",
        arguments: [
            "data: xxxxxxxxxxxxxxxx", ":xxxxxxxxxxxxxxxxxxxxxx", "data: xxxx\ndata: xxxx\ndata: xxxx\ndata: xxxx\n",
            "event: xxxxxxxxxxxxxx",
            "data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n",
        ])
    func tooLong(text: String) {
        var parser = ServerSentEventParser(maximumLine: 16)
        #expect(throws: ServerSentEventParser.Failure.lineTooLong(limit: 16)) { try parser.feed(text.utf8) }
    }

    @Test("Random bytes cut anywhere give the same events, or the same failure", arguments: 0..<12 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            var bytes = Self.stream
            for _ in 0..<random.pick(0...4) {
                bytes[random.pick(bytes.indices)] = random.pick([0x0A, 0x0D, 0x3A, 0x20, 0x64, 0xFF])
            }
            let whole = Self.outcome([bytes[...]])
            let cut = random.pick(bytes.indices)
            #expect(Self.outcome([bytes[..<cut], bytes[cut...]]) == whole, "seed \(seed)")
            #expect(Self.outcome(bytes.indices.map { bytes[$0...$0] }) == whole, "seed \(seed)")
        }
    }

    /// Returns the final result; events before a failure depend on how the bytes are split.
    private static func outcome(_ pieces: [ArraySlice<UInt8>]) -> Result<[LiveEvent], ServerSentEventParser.Failure> {
        var parser = ServerSentEventParser()
        var events: [LiveEvent] = []
        do {
            for piece in pieces { events += try parser.feed(piece) }
        } catch { return .failure(error) }
        return .success(events)
    }
}
