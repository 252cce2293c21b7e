import Annotations
import Instant
import InstantCore

/// `add --ndjson`: as many lines as have come are made and sent together, then answered in their order; so a program
/// may write one line and wait for its answer, and a file of thousands goes in few requests.
struct AddLines {
    let session: LayerSession
    let author: String?
    let group: String?

    static let atOnce = 500
    /// A record has at most 1 MB; escapes may make its line longer.
    static let maxBytes = 2 << 20

    /// - Throws: ``CommandFailure`` with the status that the lines come to, or with what ended it early.
    func run() async throws {
        var outcomes: [EditOutcome] = []
        while case let lines = try await StandardInput.shared.lines(maxCount: Self.atOnce, maxBytes: Self.maxBytes),
            !lines.isEmpty
        {
            let made = try lines.compactMap(add)
            var problem: CommandFailure?
            do {
                _ = try await session.deliver(made.compactMap(\.waiting))
            } catch let failure as CommandFailure { problem = failure }
            for one in made {
                let outcome = try one.outcome ?? session.outcome(of: one.id ?? "")
                Output.json(Self.answer(one.id, outcome))
                outcomes.append(outcome)
            }
            try session.dropFailed(made.compactMap(\.waiting))
            if let problem { throw problem }
        }
        let refused = outcomes.count { $0.exit != .done }
        guard refused == 0 else {
            throw CommandFailure("\(refused) of \(outcomes.count) records not added", outcomes.exit)
        }
    }

    /// nil for a line without anything in it.
    private func add(_ line: StandardInput.Line) throws -> InstantDocumentDescriptor.Added? {
        guard case .line(let bytes) = line else {
            return .init(id: nil, outcome: .invalid("line longer than \(Self.maxBytes) bytes"))
        }
        guard bytes.contains(where: { $0 > 0x20 }) else { return nil }
        do {
            var draft = try RecordInput(json: bytes)
            if let group, draft.group == nil { draft.group = group }
            return try session.descriptor.add(draft, author: author)
        } catch let error as JSONError {
            return .init(id: nil, outcome: .invalid("\(error)"))
        } catch let failure as CommandFailure {
            return .init(id: nil, outcome: .invalid(failure.message))
        }
    }

    static func answer(_ id: Record.ID?, _ outcome: EditOutcome) -> String {
        JSONWriter.text {
            $0.member("id", orNull: id)
            $0.member("status", outcome.status)
            if let reason = outcome.reason { $0.member("reason", reason) }
        }
    }
}
