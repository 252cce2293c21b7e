import EngineCore

/// A client as it lies in the tables: a row of its own, and the answers that are kept for it. Answers are written anyway,
/// so the row is only written when they do not say the same.
struct ClientRows: Hashable, Sendable {
    /// nil: there is no row yet.
    var row: StoredClient?
    /// The numbers of the answers that are kept; no number between them is missing.
    var answers: ClosedRange<Int64>?

    /// What the rows say together.
    var client: StoredClient? {
        guard var client = row else { return nil }
        if let answers {
            client.lastN = max(client.lastN, answers.upperBound)
            client.acked = max(client.acked, answers.lowerBound - 1)
        }
        return client
    }

    mutating func add(answer n: Int64) {
        answers = answers.map { min($0.lowerBound, n)...max($0.upperBound, n) } ?? n...n
    }

    mutating func removeAnswers(upTo n: Int64) {
        guard let kept = answers, kept.lowerBound <= n else { return }
        answers = kept.upperBound > n ? (n + 1)...kept.upperBound : nil
    }
}
