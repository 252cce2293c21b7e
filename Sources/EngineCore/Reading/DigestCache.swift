package import Authorization
package import SyncProtocol

/// Current digests of views, so that repeated requests between two changes cost nothing.
package struct DigestCache: Sendable {
    private struct Visibility: Hashable, Sendable {
        var layer: Int64
        var scope: ViewScope
    }

    private var answers: [Visibility: DigestAnswer] = [:]
    private let limit: Int

    package init(limit: Int = 256) { self.limit = limit }

    /// Returns a view's digest if it was computed since the layer last changed.
    package func answer(_ layer: ServerLayer, scope: ViewScope) -> DigestAnswer? {
        guard let answer = answers[Visibility(layer: layer.id, scope: scope)], answer.upTo == layer.head,
            answer.epoch == layer.epoch(for: scope)
        else { return nil }
        return answer
    }

    package mutating func keep(_ answer: DigestAnswer, _ layer: ServerLayer, scope: ViewScope) {
        if answers.count >= limit { answers = [:] }
        answers[Visibility(layer: layer.id, scope: scope)] = answer
    }
}
