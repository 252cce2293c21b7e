package import Annotations
import Authorization
import SyncProtocol

/// What the sync asks of the outbox.
extension Layer {
    /// Something could be sent by the stored grant: waiting, or sealed and not answered.
    package func hasUnsent() throws -> Bool {
        try store.read { store in
            guard try store.facts().grant?.mayWrite == true else { return false }
            let tally = try store.tally()
            return tally[.waiting, default: 0] + tally[.sealed, default: 0] > 0
        }
    }

    package func tally() throws -> [OutboxEntry.Stage: Int] { try store.read { try $0.tally() } }

    package func noteSync(at now: Timestamp) throws {
        try store.write { store in
            var facts = try store.facts()
            facts.lastSync = now
            try store.set(facts)
        }
    }

    /// The change of this number was sent and never answered.
    func isSealed(n: Int64) throws -> Bool {
        try store.read { try $0.entries(in: [.sealed], limit: .max).contains { $0.n == n } }
    }
}
