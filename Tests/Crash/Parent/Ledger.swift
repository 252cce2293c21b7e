/// The promises made to one writer and its unconfirmed edits, checked against the records present.
///
/// An acknowledged edit must be present. One in progress when the writer died may be present or not, but nothing else
/// may: no older text, no duplicate, no deleted record.
struct Ledger {
    private enum State: Hashable {
        case text(String)
        case gone
    }

    private var acknowledged: [String: State] = [:]
    /// The unacknowledged edits since then, by record.
    private var tried: [String: Set<State>] = [:]
    /// Unacknowledged creates: their ids are not known.
    private var created: Set<String> = []
    /// The number of acknowledged edits.
    private(set) var count = 0

    mutating func take(_ report: Report) {
        switch report {
        case .tried(.create(let text)): created.insert(text)
        case .tried(.update(let id, let text)): tried[id, default: []].insert(.text(text))
        case .tried(.delete(let id)): tried[id, default: []].insert(.gone)
        case .kept(let id, let text): acknowledge(id, .text(text))
        case .gone(let id): acknowledge(id, .gone)
        case .needsToken, .settled, .row, .shown, .trouble: break
        }
    }

    private mutating func acknowledge(_ id: String, _ state: State) {
        acknowledged[id] = state
        tried[id] = nil
        if case .text(let text) = state { created.remove(text) }
        count += 1
    }

    /// Compares, and treats the records present as confirmed from now on.
    ///
    /// - Parameter records: The writer's own records: text by id.
    /// - Returns: The problems, one sentence each.
    mutating func settle(_ records: [String: String]) -> [String] {
        var problems: [String] = []
        for (id, state) in acknowledged {
            let possible = tried[id, default: []].union([state])
            let there = records[id].map(State.text) ?? .gone
            guard !possible.contains(there) else { continue }
            switch (state, there) {
            case (.text(let text), .gone): problems.append("\(id) (\(text)) is lost")
            case (.gone, .text(let text)): problems.append("\(id) (\(text)) is back after its delete")
            case (_, .text(let text)): problems.append("\(id) has \(text) instead of \(Self.words(possible))")
            default: break
            }
        }
        for (id, text) in records where acknowledged[id] == nil {
            if created.remove(text) == nil { problems.append("\(id) (\(text)) was never created, or exists twice") }
        }
        acknowledged = acknowledged.mapValues { _ in .gone }
            .merging(records.mapValues(State.text)) { $1 }
        tried = [:]
        created = []
        return problems.sorted()
    }

    private static func words(_ states: Set<State>) -> String {
        states.map { if case .text(let text) = $0 { text } else { "nothing" } }.sorted().joined(separator: " or ")
    }
}
