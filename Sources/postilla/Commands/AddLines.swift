import Annotations
import Instant
import InstantCore

/// The `add --ndjson` command. It adds all lines that have arrived, sends them together and answers in order. A program
/// can write one line and wait for its answer; a file of thousands of lines takes few requests.
struct AddLines {
    let session: LayerSession
    let author: String?
    let group: String?
    private let warning = HiddenRecordWarning()

    init(session: LayerSession, author: String?, group: String?) {
        (self.session, self.author, self.group) = (session, author, group)
    }

    static let atOnce = 500
    /// A record has at most 1 MB; escapes can make its line longer.
    static let maxBytes = 2 << 20

    /// - Throws: ``CommandFailure`` with the status of all lines together, or with the error that stopped the command.
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
                let outcome = try one.outcome ?? session.answer(for: one.id ?? "", isSettled: problem == nil)
                await session.answer(Self.answer(one.id, outcome))
                outcomes.append(outcome)
            }
            try session.dropFailed(made.compactMap(\.waiting))
            if let problem { throw problem }
        }
        let refused = outcomes.count { $0.exit != .done }
        guard refused == 0 else {
            let failure = CommandFailure("\(refused) of \(outcomes.count) records not added", outcomes.exit)
            throw await session.finish(despite: failure, outcomes)
        }
    }

    /// Adds one record. Returns nil for an empty line.
    private func add(_ line: StandardInput.Line) throws -> InstantDocumentDescriptor.Added? {
        guard case .line(let bytes) = line else {
            return .init(id: nil, outcome: .invalid("line longer than \(Self.maxBytes) bytes"))
        }
        guard bytes.contains(where: { $0 > 0x20 }) else { return nil }
        do {
            var draft = try RecordInput(json: bytes)
            if let group, draft.group == nil { draft.group = group }
            try warning.give(session, draft.content, group: draft.group)
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
