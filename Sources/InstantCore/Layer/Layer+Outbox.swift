package import Annotations
import Authorization
import SyncProtocol

/// What the sync asks of the outbox.
extension Layer {
    /// Something could be sent by the stored grant: waiting, or sealed and not answered.
    package func hasUnsent() throws -> Bool { try backlog() == .sendable }

    /// What is neither at the server nor left to the person to settle.
    package func backlog() throws -> Backlog { try store.read { try $0.backlog() } }

    package func tally() throws -> [OutboxEntry.Stage: Int] { try store.read { try $0.tally() } }

    package func noteSync(at now: Timestamp) throws {
        try store.write(.recoverable) { store in
            var facts = try store.facts()
            facts.lastSync = now
            // A layer that was just loaded needs no comparison with the server.
            facts.checkedAt = facts.checkedAt ?? now
            try store.set(facts)
        }
    }

    /// The change of this number was sent and never answered.
    func isSealed(n: Int64) throws -> Bool {
        try store.read { try $0.entries(in: [.sealed], limit: .max).contains { $0.n == n } }
    }
}

extension StoredLayer {
    /// Asked after every edit, so nothing is counted: a queue of thousands would be walked thousands of times.
    func backlog() throws -> Backlog {
        let hasSendable = try hasEntries(in: [.waiting, .sealed])
        if hasSendable, try facts().grant?.mayWrite == true { return .sendable }
        return try hasSendable || hasEntries(in: [.parked]) ? .kept : .none
    }

    func hasEntries(in stages: Set<OutboxEntry.Stage>) throws -> Bool {
        try !entries(in: stages, limit: 1).isEmpty
    }
}
