package import Annotations
import Authorization
import SyncProtocol

/// The outbox as the sync needs it.
extension Layer {
    /// Whether the grant of this process allows sending something.
    package func hasUnsent() throws -> Bool { try backlog() == .sendable }

    /// Returns whether edits remain that are neither at the server nor left to the user to settle.
    package func backlog() throws -> Backlog {
        try store.read { store in
            let metadata = try metadata(in: store)
            let backlog = try store.backlog(metadata.grant)
            // The grant of the syncing process parked these entries; this process may be allowed to send them.
            guard backlog == .kept, let ownGrant, ownGrant.mayWrite, try store.metadata().grant != ownGrant else {
                return backlog
            }
            return try store.hasParked(allowedBy: ownGrant, metadata: metadata) ? .sendable : .kept
        }
    }

    /// Whether an entry waits that the grant of this process does not allow.
    package func hasUnsendable() throws -> Bool {
        try store.read { store in
            let mayWrite = try metadata(in: store).grant?.mayWrite == true
            return try store.hasEntries(in: mayWrite ? [.parked] : [.waiting, .sealed, .parked])
        }
    }

    package func tally() throws -> [OutboxEntry.Stage: Int] { try store.read { try $0.tally() } }

    package func noteSync(at now: Timestamp) throws {
        try store.write(.recoverable) {
            try $0.changeMetadata { metadata in
                metadata.lastSync = now
                // A layer that was just loaded needs no comparison with the server.
                metadata.checkedAt = metadata.checkedAt ?? now
            }
        }
    }

    /// Whether the change with this number was sent and not answered.
    func isSealed(n: Int64) throws -> Bool {
        try store.read { try $0.entries(in: [.sealed], limit: .max).contains { $0.n == n } }
    }
}

extension StoredLayer {
    /// Runs after every edit and therefore does not count: counting a queue of thousands each time would be slow.
    func backlog(_ grant: Grant?) throws -> Backlog {
        let hasSendable = try hasEntries(in: [.waiting, .sealed])
        if hasSendable, grant?.mayWrite == true { return .sendable }
        return try hasSendable || hasEntries(in: [.parked]) ? .kept : .none
    }

    func hasEntries(in stages: Set<OutboxEntry.Stage>) throws -> Bool {
        try !entries(in: stages, limit: 1).isEmpty
    }
}
