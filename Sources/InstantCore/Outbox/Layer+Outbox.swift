package import Annotations
import Authorization
import SyncProtocol

/// What the sync asks of the outbox.
extension Layer {
    /// Something could be sent by the grant of this process.
    package func hasUnsent() throws -> Bool { try backlog() == .sendable }

    /// What is neither at the server nor left to the person to settle.
    package func backlog() throws -> Backlog {
        try store.read { store in
            let facts = try metadata(in: store)
            let backlog = try store.backlog(facts.grant)
            // What the grant of the process that syncs denies is parked; this process may be allowed to send it.
            guard backlog == .kept, let ownGrant, ownGrant.mayWrite, try store.metadata().grant != ownGrant else {
                return backlog
            }
            return try store.hasParked(allowedBy: ownGrant, facts: facts) ? .sendable : .kept
        }
    }

    /// Whether something waits that the grant of this process does not allow to send.
    package func hasUnsendable() throws -> Bool {
        try store.read { store in
            let mayWrite = try metadata(in: store).grant?.mayWrite == true
            return try store.hasEntries(in: mayWrite ? [.parked] : [.waiting, .sealed, .parked])
        }
    }

    package func tally() throws -> [OutboxEntry.Stage: Int] { try store.read { try $0.tally() } }

    package func noteSync(at now: Timestamp) throws {
        try store.write(.recoverable) {
            try $0.changeMetadata { facts in
                facts.lastSync = now
                // A layer that was just loaded needs no comparison with the server.
                facts.checkedAt = facts.checkedAt ?? now
            }
        }
    }

    /// The change of this number was sent and never answered.
    func isSealed(n: Int64) throws -> Bool {
        try store.read { try $0.entries(in: [.sealed], limit: .max).contains { $0.n == n } }
    }
}

extension StoredLayer {
    /// Asked after every edit, so nothing is counted: a queue of thousands would be walked thousands of times.
    func backlog(_ grant: Grant?) throws -> Backlog {
        let hasSendable = try hasEntries(in: [.waiting, .sealed])
        if hasSendable, grant?.mayWrite == true { return .sendable }
        return try hasSendable || hasEntries(in: [.parked]) ? .kept : .none
    }

    func hasEntries(in stages: Set<OutboxEntry.Stage>) throws -> Bool {
        try !entries(in: stages, limit: 1).isEmpty
    }
}
