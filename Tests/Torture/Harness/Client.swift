import Annotations
import EngineSupport
import Foundation
import SyncProtocol

/// A layer's state at the start of the episode.
struct LayerStart {
    var generation: String
    var epoch: String
    var head: Revision
}

/// An answered push.
struct DonePush {
    var request: PushRequest
    var answer: PushAnswer
    /// It was sent more than once: the answer may be one that the server stored.
    var wasRepeated: Bool
}

/// A client of the sync API: sends its pushes in order, and again on another connection after a loss, until each is
/// answered.
final class Client: Speaker {
    let plan: ClientPlan
    let layer: LayerStart
    private(set) var done: [DonePush] = []
    private(set) var line: Line?
    private let tokens: Tokens
    private var maker: RequestMaker
    private var sealed: [Int: [Change]] = [:]
    private var attempts: [Int: Int] = [:]
    private var sent: [Int: PushRequest] = [:]
    private var lines: [LinePlan]
    private var batches: [[LinePlan.Item]] = []
    private var token: Tokens.Token?
    /// The next push to send on the current line.
    private var cursor = 0
    /// Whether a push of the current line failed, so that the later ones fail too.
    private var isSpoilt = false
    private var head: Revision
    private var commons: [String: Revision]
    private var honest = 0

    init(_ plan: ClientPlan, _ layer: LayerStart, commons: [String: Revision], tokens: Tokens, maker: RequestMaker) {
        (self.plan, self.layer, self.tokens, self.maker) = (plan, layer, tokens, maker)
        (lines, head, self.commons) = (plan.lines, layer.head, commons)
    }

    var isDone: Bool { done.count == plan.pushes.count && lines.isEmpty && line == nil }
    var state: String {
        "\(plan.name): \(done.count) of \(plan.pushes.count) pushes, \(lines.count) connections left\(line == nil ? "" : ", one open")"
    }

    /// The next connection it needs; nil if it has one or is finished.
    func wanted(lasting: Bool) -> LinePlan? {
        guard line == nil else { return nil }
        if let next = lines.first { return next }
        return done.count < plan.pushes.count ? LinePlan(honestly: 1_000, server: honest) : nil
    }

    func opened(_ line: Line, _ plan: LinePlan) throws {
        self.line = line
        if lines.isEmpty { honest += 1 } else { lines.removeFirst() }
        token = try tokens.make(self.plan, life: plan.life)
        batches = plan.batches
        cursor = done.count
        isSpoilt = false
    }

    // MARK: Speaking

    func next(on line: Line, now: ContinuousClock.Instant) throws -> Line.Next {
        guard let token, !isSpoilt, !batches.isEmpty else { return .end }
        let items = batches.removeFirst()
        var requests: [Request] = []
        for item in items {
            switch item {
            case .ask(let ask):
                requests.append(
                    maker.ask(ask, token: token.text, layer: plan.layer, epoch: layer.epoch, head: head))
            case .push(let framing):
                if let request = push(framing, token, isAlone: items.count == 1) { requests.append(request) }
            }
        }
        if requests.isEmpty, lines.isEmpty, done.count == plan.pushes.count { return .end }
        if requests.isEmpty {
            requests = [maker.ask(.session, token: token.text, layer: plan.layer, epoch: layer.epoch, head: head)]
        }
        return .batch(requests, isLast: batches.isEmpty)
    }

    private func push(_ framing: LinePlan.Framing, _ token: Tokens.Token, isAlone: Bool) -> Request? {
        guard cursor < plan.pushes.count else { return nil }
        let index = cursor
        cursor += 1
        let changes = sealed[index] ?? plan.pushes[index].map(seal)
        sealed[index] = changes
        attempts[index, default: 0] += 1
        // Only with a cursor does an answer state the push's place among those of others.
        let hasPlace = isAlone || plan.pushes[index].contains { if case .updateCommon = $0 { true } else { false } }
        let message = PushRequest(
            clientID: plan.name, acked: done.last?.request.changes.last?.n ?? 0,
            cursor: hasPlace ? Cursor(epoch: layer.epoch, revision: head) : nil, changes: changes)
        sent[index] = message
        return maker.push(index, message, token: token.text, framing: framing)
    }

    private func seal(_ change: ChangePlan) -> Change {
        switch change {
        case .fixed(let change): change
        case .updateCommon(let n, let id, let text):
            Change(n: n, kind: .update, id: id, baseRevision: commons[id] ?? 0, content: .plainNote(text))
        }
    }

    // MARK: Hearing

    func answered(_ request: Request, _ answer: Answer, on line: Line, since start: ContinuousClock.Instant) throws {
        if let token, request.hasToken, try tokens.check(token, answer, since: start) {
            isSpoilt = true
            return
        }
        if line.serverStops, [500, 503].contains(answer.status) {
            isSpoilt = true
            return
        }
        switch request.goal {
        case .push(let index): try pushed(index, answer)
        case .status(let wanted):
            guard wanted.contains(answer.status) else {
                throw Failure("\(answer.status) for \(request.method) \(request.target): \(answer.text)")
            }
        case .poll, .stream:
            guard answer.status == 200 else { throw Failure("\(answer.status) for a stream: \(answer.text)") }
        case .malformed: break
        case .backend, .revoke: throw Failure("a client does not send this request")
        }
    }

    private func pushed(_ index: Int, _ answer: Answer) throws {
        guard let request = sent[index] else { throw Failure("an answer to a push that was not sent") }
        guard answer.status == 200 else { throw Failure("\(answer.status) for push \(index): \(answer.text)") }
        let message = try PushAnswer(bytes: answer.body)
        guard message.results.map(\.n) == request.changes.map(\.n) else {
            throw Failure("the results of push \(index) do not match its changes")
        }
        if message.results.contains(where: { $0.status == .gap }) {
            guard isSpoilt else { throw Failure("a gap before push \(index), although nothing is missing") }
            return
        }
        guard !message.results.contains(where: { $0.status == .mismatch }) else {
            throw Failure("push \(index) is answered with mismatch")
        }
        guard index == done.count else { throw Failure("push \(index) is done and push \(done.count) is not") }
        done.append(DonePush(request: request, answer: message, wasRepeated: attempts[index, default: 1] > 1))
        if let delta = message.delta { head = max(head, delta.upTo) }
        for item in message.results.compactMap(\.item) + (message.delta?.changes ?? [])
        where commons[item.id] != nil { commons[item.id] = item.revision }
        for (change, result) in zip(request.changes, message.results) where commons[change.id] != nil {
            if let revision = result.revision { commons[change.id] = revision }
        }
    }

    func ended(_ line: Line, unanswered: [Request]) { self.line = nil }
}

/// The tokens of one episode: valid ones, and expired or revoked ones.
final class Tokens {
    final class Token {
        let text: String
        let id: String
        let life: LinePlan.Life
        /// Seconds since 1970.
        let expires: Int64
        let revokeAt: ContinuousClock.Instant?
        /// When the server confirmed the revocation.
        fileprivate(set) var revoked: ContinuousClock.Instant?

        init(text: String, id: String, life: LinePlan.Life, expires: Int64, revokeAt: ContinuousClock.Instant?) {
            (self.text, self.id, self.life) = (text, id, life)
            (self.expires, self.revokeAt) = (expires, revokeAt)
        }
    }

    private let mint: TokenMint
    private let document: String
    private(set) var toRevoke: [Token] = []

    init(mint: TokenMint, document: String) { (self.mint, self.document) = (mint, document) }

    func make(_ plan: ClientPlan, life: LinePlan.Life) throws -> Token {
        var claims = TokenMint.Claims(document: document, layer: plan.layer, user: plan.user)
        var revokeAt: ContinuousClock.Instant?
        switch life {
        case .lasting, .wrong: break
        case .expires(let milliseconds):
            claims.expires = Int64(Date().timeIntervalSince1970) + 1 + Int64(milliseconds / 1000)
        case .revoked(let milliseconds): revokeAt = .now + .milliseconds(milliseconds)
        }
        var text = try mint.token(claims)
        if case .wrong = life { text = String(text.dropLast(8)) + "AAAAAAAA" }
        let token = Token(text: text, id: claims.id, life: life, expires: claims.expires, revokeAt: revokeAt)
        if revokeAt != nil { toRevoke.append(token) }
        return token
    }

    func revoked(_ index: Int) { toRevoke[index].revoked = .now }

    /// - Returns: Whether the request was rightly refused because its token is no longer valid.
    func check(_ token: Token, _ answer: Answer, since start: ContinuousClock.Instant) throws -> Bool {
        let isRefused = answer.status == 401
        switch token.life {
        case .lasting:
            if isRefused { throw Failure("a valid token is refused: \(answer.text)") }
        case .wrong:
            if !isRefused, answer.status != 503 { throw Failure("\(answer.status) for a token with a wrong signature") }
        case .expires:
            let now = Date().timeIntervalSince1970
            if isRefused, now < Double(token.expires) - 0.1 { throw Failure("a token is refused before its expiry") }
            let begun = now - Double((ContinuousClock.now - start).components.seconds) - 1
            if !isRefused, begun > Double(token.expires) + 0.5, answer.status == 200 {
                throw Failure("a token is accepted after its expiry")
            }
        case .revoked:
            if isRefused, let moment = token.revokeAt, ContinuousClock.now < moment {
                throw Failure("a token is refused before it was revoked")
            }
            if !isRefused, let revoked = token.revoked, start > revoked, answer.status == 200 {
                throw Failure("a token is accepted after it was revoked")
            }
        }
        return isRefused
    }
}
