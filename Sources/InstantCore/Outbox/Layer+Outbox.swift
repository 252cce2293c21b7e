package import Annotations
import Authorization
import SyncProtocol

/// The outbox operations that sync needs.
extension Layer {
    /// Whether the outbox has edits that the grant of this process allows sending.
    package func hasUnsent() throws -> Bool { try backlog() == .sendable }

    /// Returns the backlog: the edits that the server does not have, except those that the user must resolve.
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

    /// Returns the state of the layer while no cycle runs.
    package func stateAtRest() throws -> DocumentState {
        try store.read { store in
            let metadata = try metadata(in: store)
            if try store.backlog(metadata.grant) != .none { return .dirty }
            return metadata.cursor == nil ? .unknown : .clean
        }
    }

    /// Whether the grant of this process does not allow sending an unanswered entry.
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
                // A layer that was just loaded does not need a comparison with the server.
                metadata.checkedAt = metadata.checkedAt ?? now
            }
        }
    }

    /// Tells other processes whether the one that leads can send edits.
    func note(unsentBecause reason: String?) throws {
        guard try store.read({ try $0.metadata().unsentBecause }) != reason else { return }
        try store.write(.recoverable) { try $0.changeMetadata { $0.unsentBecause = reason } }
    }

    /// Whether the change with this number has been sent but not answered.
    func isSealed(n: Int64) throws -> Bool {
        try store.read { try $0.entries(in: [.sealed], limit: .max).contains { $0.n == n } }
    }
}

extension StoredLayer {
    /// Runs after every edit. It does not count the entries, because counting thousands each time would be slow.
    func backlog(_ grant: Grant?) throws -> Backlog {
        let hasSendable = try hasEntries(in: [.waiting, .sealed])
        if hasSendable, grant?.mayWrite == true { return .sendable }
        return try hasSendable || hasEntries(in: [.parked]) ? .kept : .none
    }

    func hasEntries(in stages: Set<OutboxEntry.Stage>) throws -> Bool {
        try !entries(in: stages, limit: 1).isEmpty
    }
}
