import Foundation

/// The source of a line's requests.
protocol Speaker: AnyObject {
    /// Returns the next action once every earlier request is answered.
    func next(on line: Line, now: ContinuousClock.Instant) throws -> Line.Next
    /// - Parameter start: When the first byte of the request was sent.
    func answered(_ request: Request, _ answer: Answer, on line: Line, since start: ContinuousClock.Instant) throws
    /// The line has ended; these requests were not answered.
    func ended(_ line: Line, unanswered: [Request])
}

/// One planned connection: sends its speaker's requests in the planned pieces at the planned pace, reads, and checks
/// that each request is answered once, in order and in time.
final class Line {
    enum Next {
        case batch([Request], isLast: Bool)
        /// Nothing yet.
        case later
        case end
    }

    private struct Waiting {
        var request: Request
        /// The end of its bytes in the output.
        var end: Int
        var start: ContinuousClock.Instant?
    }

    /// A point at which the writer waits for permission to continue.
    private struct Gate {
        var offset: Int
        var request: String
    }

    /// How long the server may be silent while a response is due and its peer reads.
    private let patience: Duration

    let number: Int
    let plan: LinePlan
    let server: Int
    private let socket: RawSocket
    private unowned let speaker: any Speaker
    private let pieces: PieceSizes
    private var out: [UInt8] = []
    private var sent = 0
    private var gates: [Gate] = []
    /// The requests of the current batch; those before ``answered`` have their responses.
    private var waiting: [Waiting] = []
    private var answered = 0
    /// The numbers of requests begun and completely sent.
    private var begun = 0
    private var whole = 0
    private var answeredCount = 0
    private var reader = AnswerReader()
    private(set) var transcript = Transcript()
    private var isLastBatch = false
    private var cutAt: Int?
    private var mayRead: ContinuousClock.Instant
    private var maySend: ContinuousClock.Instant
    private var lastProgress: ContinuousClock.Instant
    private var streamEnds: ContinuousClock.Instant?
    /// The pause time left for this line; when it is used up, the line continues without pauses. Otherwise large bodies
    /// in small pieces would outlast the episode.
    private var pauses: Duration = .seconds(20)
    private var events = EventCheck()
    private(set) var isOver = false
    /// Why the server may close the connection.
    private var mayClose: String?
    /// When it announced that it would close.
    private var mustClose: ContinuousClock.Instant?
    /// Whether a response may state that the server stops.
    var serverStops = false
    private var hasEndedOutput = false
    private var isOutputBroken = false

    init(
        number: Int, plan: LinePlan, server: Int, socket: RawSocket, speaker: any Speaker, patience: Duration,
        seed: UInt64,
        now: ContinuousClock.Instant
    ) {
        (self.number, self.plan, self.server) = (number, plan, server)
        (self.socket, self.speaker, self.patience) = (socket, speaker, patience)
        pieces = PieceSizes(seed: seed)
        (mayRead, maySend, lastProgress) = (now, now, now)
    }

    /// Excludes the time for which the loop itself was busy from the server's silence.
    func wasKeptWaiting(_ duration: Duration) { lastProgress += duration }

    // MARK: The loop

    /// Returns the events that poll(2) waits for.
    func interest(now: ContinuousClock.Instant) -> pollfd? {
        guard !isOver else { return nil }
        var events: Int32 = 0
        if sent < sendable, maySend <= now { events |= Int32(POLLOUT) }
        if mayRead <= now { events |= Int32(POLLIN) }
        return pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
    }

    func turn(_ ready: Int32, now: ContinuousClock.Instant) throws {
        if mayRead <= now, ready & Int32(POLLIN | POLLHUP | POLLERR) != 0 { try read(now) }
        guard !isOver else { return }
        if !isWaiting, sent == out.count, mustClose == nil { try askSpeaker(now) }
        guard !isOver else { return }
        if sent < sendable, maySend <= now { try write(now) }
        guard !isOver else { return }
        try lookAtTime(now)
    }

    private func askSpeaker(_ now: ContinuousClock.Instant) throws {
        guard !isLastBatch else { return finish() }
        switch try speaker.next(on: self, now: now) {
        case .later: break
        case .end: finish()
        case .batch(var requests, let isLast):
            guard !requests.isEmpty else { return }
            isLastBatch = isLast
            if isLast { prepareEnd(&requests) }
            (out, sent) = ([], 0)
            (waiting, answered, begun, whole) = ([], 0, 0, 0)
            for request in requests {
                if request.mayClose { mayClose = "a body that is too large" }
                if case .malformed = request.goal { mayClose = "bytes that are not a request" }
                let (head, body) = request.bytes()
                out += head
                if request.framing == .expect, !request.isOldVersion, request.body != nil {
                    gates.append(Gate(offset: out.count, request: request.id))
                }
                out += body
                waiting.append(Waiting(request: request, end: out.count))
            }
            if isLast, case .cut(let place, _) = plan.ending { cutAt = out.count * place / 1000 }
            if case .late(let milliseconds) = plan.reading { mayRead = now + .milliseconds(milliseconds) }
            lastProgress = now
        }
    }

    private func prepareEnd(_ requests: inout [Request]) {
        let last = requests.count - 1
        switch plan.ending {
        case .closeHeader where requests[last].raw == nil: requests[last].endsConnection = true
        case .oldVersion where requests[last].raw == nil: requests[last].isOldVersion = true
        default: break
        }
    }

    /// The offset up to which sending is allowed now.
    private var sendable: Int {
        isOutputBroken ? sent : min(gates.first?.offset ?? out.count, cutAt ?? out.count, out.count)
    }

    // MARK: Sending

    private func write(_ now: ContinuousClock.Instant) throws {
        // With very small pieces, other lines get their turn in between.
        for _ in 0..<200 where sent < sendable && maySend <= now {
            var end = sendable
            if case .pieces(let most, _) = plan.pace {
                // Bounds the number of pieces of a large batch.
                if pauses > .zero { end = min(end, sent + pieces.next(upTo: max(most, out.count / 2_000))) }
            }
            while begun < waiting.count, (begun == 0 ? 0 : waiting[begun - 1].end) < end {
                waiting[begun].start = now
                begun += 1
            }
            guard let count = socket.send(out[sent..<end]) else {
                // Responses received before the end can still be read.
                isOutputBroken = true
                return
            }
            transcript.note(sent: out[sent..<sent + count])
            if count > 0 { lastProgress = max(lastProgress, now) }
            sent += count
            if case .pieces(_, let pause) = plan.pace, pause > 0 { maySend = now + paused(pause) }
            if sent < end || count == 0 { break }
        }
        while whole < waiting.count, waiting[whole].end <= sent { whole += 1 }
        if let cutAt, sent >= cutAt { return cut() }
        if sent == out.count, isLastBatch, case .halfClose = plan.ending, !hasEndedOutput {
            hasEndedOutput = true
            mayClose = "its peer has ended its side"
            socket.endOutput()
        }
    }

    private func paused(_ milliseconds: Int) -> Duration {
        let pause = min(.milliseconds(milliseconds), pauses)
        pauses -= pause
        return pause
    }

    private func cut() {
        if case .cut(_, isReset: true) = plan.ending { socket.reset() }
        finish()
    }

    // MARK: Reading

    private func read(_ now: ContinuousClock.Instant) throws {
        var limit = 256 << 10
        if case .slow(let bytes, let pause) = plan.reading {
            let pause = paused(pause)
            if pause > .zero { limit = bytes }
            mayRead = now + pause
        }
        switch socket.receive(upTo: limit) {
        case .nothingYet: break
        case .bytes(let bytes):
            lastProgress = now
            transcript.note(received: bytes)
            reader.take(bytes)
            try takeAnswers(now, isEnd: false)
        case .end:
            try takeAnswers(now, isEnd: true)
            if !isOver { try closed(now, "the server closed the connection") }
        case .reset: try closed(now, "the connection was reset")
        }
    }

    private func takeAnswers(_ now: ContinuousClock.Instant, isEnd: Bool) throws {
        while !isOver {
            guard isWaiting else {
                guard reader.isBetweenAnswers else { throw failure("bytes that answer no request") }
                return
            }
            let first = waiting[answered]
            var answer: Answer?
            try check { answer = try reader.next(isHead: first.request.isHead, isEnd: isEnd) }
            guard let answer else {
                if case .stream(let milliseconds) = first.request.goal, reader.hasHead, reader.partial.status == 200 {
                    if streamEnds == nil { streamEnds = now + .milliseconds(milliseconds) }
                    try check { try events.take(reader.takeBody()) }
                }
                return
            }
            if mustClose != nil { throw failure("an answer after Connection: close") }
            try take(answer, to: first, now)
        }
    }

    private func take(_ answer: Answer, to first: Waiting, _ now: ContinuousClock.Instant) throws {
        let request = first.request
        if answer.isInterim {
            guard let gate = gates.first, gate.request == request.id, answer.status == 100 else {
                throw failure("an unexpected \(answer.status)")
            }
            gates.removeFirst()
            return
        }
        if case .malformed = request.goal { return try refused(answer, now) }
        guard answer["x-request-id"] == request.id else {
            throw failure("an answer to \(answer["x-request-id"] ?? "no request") instead of \(request.id)")
        }
        guard first.start != nil else { throw failure("an answer to \(request.id) before it was sent") }
        let isWhole = answered < whole
        answered += 1
        answeredCount += 1
        if answer.closes || request.endsConnection || request.isOldVersion {
            mayClose = "the answer to \(request.id) says so"
            mustClose = now
        }
        let wasGated = gates.first?.request == request.id
        if !isWhole, answer.status < 400 { throw failure("\(answer.status) for an incomplete \(request.id)") }
        do { try speaker.answered(request, answer, on: self, since: first.start ?? now) } catch let problem as Failure {
            throw failure(problem.description)
        }
        // An unwanted body is not sent; the bytes after it cannot be distinguished from it.
        if wasGated || !isWhole && sent < first.end && request.mayClose { finish() }
    }

    /// Handles the single refusal of malformed input, after which the connection ends.
    private func refused(_ answer: Answer, _ now: ContinuousClock.Instant) throws {
        guard (400..<600).contains(answer.status) else { throw failure("\(answer.status) for malformed bytes") }
        answered += 1
        answeredCount += 1
        mustClose = now
    }

    private func check(_ body: () throws -> Void) throws {
        do { try body() } catch { throw failure("\(error)") }
    }

    /// Handles the end of the connection by the server.
    private func closed(_ now: ContinuousClock.Instant, _ how: String) throws {
        if isWaiting, case .stream = waiting[answered].request.goal, reader.hasHead {
            if serverStops { return finish() }
            throw failure("\(how) in the middle of a stream")
        }
        if reader.hasHead, !serverStops, mayClose != "its peer has ended its side", mustClose == nil,
            how != "the connection was reset"
        {
            throw failure("\(how) in the middle of an answer")
        }
        guard serverStops || mayClose != nil else {
            throw failure("\(how) without a reason; unanswered requests: \(waiting.count - answered)")
        }
        finish()
    }

    // MARK: Time

    private func lookAtTime(_ now: ContinuousClock.Instant) throws {
        if let streamEnds, now >= streamEnds { return finish() }
        if let mustClose, now - mustClose > patience {
            throw failure("the connection is not closed after \(patience)")
        }
        guard isWaiting, mayRead <= now else { return }
        let first = waiting[answered]
        if case .stream = first.request.goal, streamEnds != nil { return }
        let isOwed = answered < whole || gates.first?.offset == sent
        guard isOwed || sent < sendable && maySend <= now else { return }
        if now - max(lastProgress, mayRead) > patience {
            throw failure(
                "no answer to \(first.request.id) for \(patience): \(first.request.method) \(first.request.target)"
            )
        }
    }

    /// Ends the connection on this side.
    func finish() {
        guard !isOver else { return }
        isOver = true
        socket.close()
        speaker.ended(self, unanswered: waiting[answered...].map(\.request))
    }

    func failure(_ text: String) -> Failure {
        Failure("connection \(number), after \(answeredCount) answers: \(text)\n\(transcript.text)")
    }

    var isWaiting: Bool { answered < waiting.count }
}
