import Foundation
import TestSupport

/// The customer's backend: performs its steps in order and records the server's answers.
final class Backend: Speaker {
    enum Outcome {
        case done
        /// It may have been done or not.
        case unknown
    }

    private(set) var outcomes: [(step: BackendStep, outcome: Outcome)] = []
    private(set) var line: Line?
    private var steps: [BackendStep]
    private var maker: RequestMaker
    private let source: String

    init(_ steps: [BackendStep], source: String, maker: RequestMaker) {
        (self.steps, self.source, self.maker) = (steps, source, maker)
    }

    var isDone: Bool { steps.isEmpty && line == nil }
    var state: String { "a backend has \(steps.count) steps left" }
    var wanted: LinePlan? { line == nil && !steps.isEmpty ? LinePlan(honestly: 0, server: 0) : nil }

    func opened(_ line: Line) { self.line = line }

    func next(on line: Line, now: ContinuousClock.Instant) throws -> Line.Next {
        guard let step = steps.first else { return .end }
        steps.removeFirst()
        return .batch([maker.backend(step, source: source, pdf: Self.pdf)], isLast: false)
    }

    func answered(_ request: Request, _ answer: Answer, on line: Line, since start: ContinuousClock.Instant) throws {
        guard case .backend(let step) = request.goal else { return }
        if line.serverStops, [500, 503].contains(answer.status) { return outcomes.append((step, .unknown)) }
        // An unanswered step of a stopped server may or may not have taken effect.
        let mayBeElsewise = outcomes.contains { $0.outcome == .unknown }
        guard answer.status == 200 || mayBeElsewise && [400, 404].contains(answer.status) else {
            throw Failure("\(answer.status) for the backend's \(request.method) \(request.target): \(answer.text)")
        }
        if case .create = step, !answer.body.starts(with: Array(#"{"result":"success""#.utf8)) {
            throw Failure("not all annotations were created: \(answer.text)")
        }
        outcomes.append((step, answer.status == 200 ? .done : .unknown))
    }

    func ended(_ line: Line, unanswered: [Request]) {
        self.line = nil
        for case .backend(let step) in unanswered.map(\.goal) { outcomes.append((step, .unknown)) }
    }

    /// Returns a valid PDF of about this many bytes.
    private static func pdf(_ bytes: Int) -> [UInt8] {
        var pdf = SmallPDF(annotations: [])
        pdf.extra = ["<</Length \(bytes)>>stream\n\(String(repeating: "z", count: bytes))\nendstream"]
        return pdf.bytes
    }
}

/// Revokes tokens when due.
final class Revoker: Speaker {
    private let tokens: Tokens
    private var maker: RequestMaker
    private var next = 0
    private(set) var line: Line?

    init(_ tokens: Tokens, maker: RequestMaker) { (self.tokens, self.maker) = (tokens, maker) }

    func opened(_ line: Line) { self.line = line }

    /// Whether a token is to be revoked now.
    func isDue(_ now: ContinuousClock.Instant) -> Bool {
        guard next < tokens.toRevoke.count, let moment = tokens.toRevoke[next].revokeAt else { return false }
        return now >= moment
    }

    func next(on line: Line, now: ContinuousClock.Instant) throws -> Line.Next {
        // The server closes a connection that is silent for long.
        guard isDue(now) else { return .end }
        return .batch([maker.revoke(tokens.toRevoke[next].id, index: next)], isLast: false)
    }

    func answered(_ request: Request, _ answer: Answer, on line: Line, since start: ContinuousClock.Instant) throws {
        guard case .revoke(let index) = request.goal else { return }
        if line.serverStops, answer.status >= 500 { return }
        guard answer.status == 200 else { throw Failure("\(answer.status) for a revocation: \(answer.text)") }
        tokens.revoked(index)
        next += 1
    }

    func ended(_ line: Line, unanswered: [Request]) { self.line = nil }
}
