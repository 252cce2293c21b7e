import Foundation

/// Plays one script on a real connection, and checks the server's reaction: each complete request is answered once and
/// in order, or the connection ends for a reason; and every connection ends.
final class ConnectionRun {
    private struct Expected {
        var request: Request
        /// The end of its bytes in the output, counted from the first; nil: it is never complete.
        var end: Int?
    }

    private enum State {
        case acting
        /// Everything is sent; the server has to close.
        case waiting(since: ContinuousClock.Instant)
        /// Nothing is read; the socket stays open until the episode ends.
        case deaf
        case over
    }

    let number: Int
    private let socket: RawSocket
    private var script: ConnectionScript
    private let patience: Duration
    private var state = State.acting
    private var out: [UInt8] = []
    private var sent = 0
    /// Bytes sent before those in `out`.
    private var base = 0
    private var filler: [UInt8]?
    private var maySend: ContinuousClock.Instant
    private var expected: [Expected] = []
    /// A request whose body waits for permission, with the body.
    private var gate: (id: String, body: [UInt8])?
    private var reader = AnswerReader()
    private var transcript = Transcript()
    private var lastProgress: ContinuousClock.Instant
    /// The last response said that the connection ends.
    private var isClosing = false
    private var closingSince: ContinuousClock.Instant?
    private var hasEndedOutput = false
    private var isOutputBroken = false
    private var mayEnd = false
    var serverStops = false
    private(set) var answers = 0

    init(number: Int, script: ConnectionScript, socket: RawSocket, patience: Duration, now: ContinuousClock.Instant) {
        (self.number, self.script, self.socket, self.patience) = (number, script, socket, patience)
        (maySend, lastProgress) = (now, now)
    }

    var isOver: Bool { if case .over = state { true } else { false } }
    var isDeaf: Bool { script.end == .deaf }
    /// Whether the client only has to stay.
    var isHeld: Bool { if case .deaf = state { true } else { false } }

    func finish() {
        guard !isOver else { return }
        state = .over
        socket.close()
    }

    func interest(_ now: ContinuousClock.Instant) -> pollfd {
        var events: Int32 = 0
        if !isDeaf { events |= Int32(POLLIN) }
        if maySend <= now, sent < out.count || filler != nil, !isOutputBroken { events |= Int32(POLLOUT) }
        return pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
    }

    func wasKeptWaiting(_ time: Duration) {
        lastProgress += time
        if let since = closingSince { closingSince = since + time }
        if case .waiting(let since) = state { state = .waiting(since: since + time) }
    }

    func turn(_ ready: Int32, _ now: ContinuousClock.Instant) throws {
        if !isDeaf, ready & Int32(POLLIN | POLLHUP | POLLERR) != 0 { try read(now) }
        if !isOver { act(now) }
        if !isOver, maySend <= now { write(now) }
        if !isOver { try lookAtTime(now) }
    }

    // MARK: Acting

    private func act(_ now: ContinuousClock.Instant) {
        guard case .acting = state, sent == out.count, gate == nil, filler == nil, maySend <= now else { return }
        guard script.isPipelined || isDeaf || expected.isEmpty else { return }
        if isOutputBroken || isClosing { script.acts = [] }
        guard !script.acts.isEmpty else { return end(now) }
        base += out.count
        (out, sent) = ([], 0)
        lastProgress = now
        switch script.acts.removeFirst() {
        case .requests(let requests): for request in requests { add(request) }
        case .expect(let request):
            let (head, body) = request.bytes()
            out += head
            expected.append(Expected(request: request, end: nil))
            if isDeaf { out += body } else { gate = (request.id, body) }
        case .pause(let milliseconds): maySend = now + .milliseconds(milliseconds)
        case .partial(let request, let thousandths):
            let (head, body) = request.bytes()
            let bytes = head + body
            out += bytes.prefix(bytes.count * thousandths / 1_000)
            expected.append(Expected(request: request, end: nil))
            mayEnd = true
        case .endless(let request, let filler):
            out += request.bytes().head
            expected.append(Expected(request: request, end: nil))
            self.filler = filler.bytes
            mayEnd = true
        case .garbage(let bytes):
            out += bytes
            expected.append(Expected(request: Request("none", "GET", "", .malformed), end: base + out.count))
            mayEnd = true
        case .stream(let request):
            add(request)
            mayEnd = true
        }
    }

    private func add(_ request: Request) {
        let (head, body) = request.bytes()
        out += head + body
        expected.append(Expected(request: request, end: base + out.count))
        if request.isOldVersion || request.endsConnection || request.fields.contains(where: { $0.0 == "Upgrade" }) {
            // What follows is not read.
            mayEnd = true
        }
    }

    private func end(_ now: ContinuousClock.Instant) {
        switch script.end {
        case .close: finish()
        case .reset:
            socket.reset()
            finish()
        case .halfClose:
            socket.endOutput()
            hasEndedOutput = true
            state = .waiting(since: now)
        case .abandon: state = .waiting(since: now)
        case .deaf: state = .deaf
        }
    }

    private func write(_ now: ContinuousClock.Instant) {
        if sent == out.count, let filler, !isOutputBroken {
            base += out.count
            (out, sent) = (filler, 0)
        }
        for _ in 0..<200 where sent < out.count && maySend <= now {
            let end = min(out.count, sent + (script.pieces?.bytes ?? .max / 2))
            guard let count = socket.send(out[sent..<end]) else {
                isOutputBroken = true
                (sent, filler, gate) = (out.count, nil, nil)
                if isDeaf { state = .deaf }
                return
            }
            transcript.note(sent: out[sent..<sent + count])
            if count > 0, filler == nil { lastProgress = max(lastProgress, now) }
            sent += count
            if let pieces = script.pieces, pieces.pause > 0 {
                maySend = now + .milliseconds(pieces.pause)
                // So that large bodies do not take forever.
                script.pieces?.bytes = min(pieces.bytes * 2, 1 << 20)
            }
            if sent < end || count == 0 { break }
        }
    }

    // MARK: Reading

    private func read(_ now: ContinuousClock.Instant) throws {
        switch socket.receive() {
        case .nothingYet: break
        case .bytes(let bytes):
            lastProgress = now
            transcript.note(received: bytes)
            reader.take(bytes)
            try takeAnswers(now, isEnd: false)
        case .end:
            try takeAnswers(now, isEnd: true)
            try ended("the server closed the connection")
        case .reset: try ended("the connection was reset")
        }
    }

    private func takeAnswers(_ now: ContinuousClock.Instant, isEnd: Bool) throws {
        while !isOver {
            guard let first = expected.first else {
                guard reader.isBetweenAnswers else { throw failure("bytes that answer nothing") }
                return
            }
            guard !isClosing else {
                guard reader.isBetweenAnswers else { throw failure("an answer behind the last one") }
                return
            }
            let answer: Answer?
            do { answer = try reader.next(isHead: first.request.isHead, isEnd: isEnd) } catch {
                throw failure("\(error)")
            }
            guard let answer else {
                if case .stream = first.request.goal { _ = reader.takeBody() }
                return
            }
            try take(answer, to: first, now)
        }
    }

    private func take(_ answer: Answer, to first: Expected, _ now: ContinuousClock.Instant) throws {
        let request = first.request
        if answer.isInterim {
            let hasExpectation = request.framing == .expect || request.fields.contains { $0.0 == "Expect" }
            guard answer.status == 100, hasExpectation else { throw failure("\(answer.status) that nobody waits for") }
            if let gate, gate.id == request.id {
                out += gate.body
                expected[0].end = base + out.count
                self.gate = nil
            }
            return
        }
        answers += 1
        expected.removeFirst()
        if gate?.id == request.id { gate = nil }
        if answer.closes { (isClosing, closingSince) = (true, now) }
        if case .malformed = request.goal {
            guard (400..<600).contains(answer.status), answer.closes else {
                throw failure("\(answer.status) for no request")
            }
            return
        }
        // A head that is cut is not a request, so its id is not known.
        if first.end == nil, hasEndedOutput, answer.status == 400, answer.closes, answer["x-request-id"] != request.id {
            return
        }
        guard answer["x-request-id"] == request.id else {
            throw failure("the answer to \(answer["x-request-id"] ?? "no request") where \(request.id) is next")
        }
        try check(answer, to: request, isComplete: first.end.map { $0 <= base + sent } ?? false)
    }

    private func check(_ answer: Answer, to request: Request, isComplete: Bool) throws {
        // The connection of an endless request must end.
        if filler != nil, expected.isEmpty, !answer.closes {
            throw failure("an endless request is answered without Connection: close")
        }
        if request.isOldVersion || request.endsConnection, !answer.closes {
            throw failure("the last answer does not say so")
        }
        if serverStops, [500, 503].contains(answer.status) { return }
        let wanted: Set<Int> =
            switch request.goal {
            case .status(let wanted): wanted
            case .poll, .stream: [200, 401]
            case .push, .malformed, .backend, .revoke: []
            }
        // Half a body may be refused, but never accepted.
        let isRefusal = !isComplete && answer.status >= 400
        guard wanted.contains(answer.status) || isRefusal else {
            throw failure("\(answer.status) for \(request.method) \(request.target): \(answer.text)")
        }
        if !isComplete, request.body != nil, answer.status < 400, !wanted.contains(answer.status) {
            throw failure("\(answer.status) for half of \(request.id)")
        }
    }

    private func ended(_ how: String) throws {
        defer { finish() }
        if serverStops || isOver { return }
        let isReset = how.contains("reset")
        if reader.hasHead {
            // A reset may cut what the client has not read; the server's timeouts cut answers to those who abandoned it.
            guard isReset && isClosing || mayEnd || hasEndedOutput else {
                throw failure("\(how) in the middle of an answer")
            }
        }
        if isClosing { return }
        if filler != nil { throw failure("\(how) before an endless request was answered") }
        // A complete request without an answer needs a reason.
        let owed = expected.first.flatMap { $0.end.map { $0 <= base + sent } } ?? false
        if owed, !mayEnd { throw failure("\(how) without a reason; \(expected.count) requests are not answered") }
        if case .acting = state, expected.isEmpty, !mayEnd, !script.acts.isEmpty, !isIdleLong {
            throw failure("\(how) between two requests")
        }
    }

    /// Whether the server's idle timeout explains the end.
    private var isIdleLong: Bool { ContinuousClock.now - lastProgress > .milliseconds(1_500) }

    // MARK: Time

    private func lookAtTime(_ now: ContinuousClock.Instant) throws {
        if let closingSince, now - closingSince > patience {
            throw failure("the last answer was not the end after \(patience)")
        }
        if case .waiting(let since) = state, now - max(since, lastProgress) > patience {
            throw failure("the connection still exists \(patience) after its client's last act: \(script.end)")
        }
        guard case .acting = state, !isDeaf, let first = expected.first else { return }
        let isOwed = first.end.map { $0 <= base + sent } ?? (gate != nil || filler != nil)
        if isOwed, now - lastProgress > patience {
            throw failure(
                "no answer to \(first.request.id) for \(patience): \(first.request.method) \(first.request.target)")
        }
    }

    private func failure(_ text: String) -> Failure {
        Failure("connection \(number), behind \(answers) answers, \(script.end): \(text)\n\(transcript.text)")
    }
}
