import Annotations
import Instant
import InstantCore
import SyncProtocol

extension LayerSession {
    /// Visits what changed in the layer after a revision, as the server tells it, in order of revisions.
    ///
    /// - Throws: ``CommandFailure`` if the server does not know all of it.
    func forEachChange(since revision: Revision, _ body: (SyncItem) throws -> Void) async throws {
        guard try await visit(since: revision, body) else {
            throw CommandFailure(
                "the server no longer knows what changed after revision \(revision): the layer was recreated, or this "
                    + "was more than 30 days ago; read it anew with postilla list")
        }
    }

    /// The ids of deleted records that the token could see; none if the server no longer knows them all.
    func deletedIDs() async throws -> Set<ByteOrdered> {
        var ids: Set<ByteOrdered> = []
        let isComplete = try await visit(since: 0) { item in
            if case .removed(let id, _) = item { ids.insert(ByteOrdered(id)) }
        }
        return isComplete ? ids : []
    }

    private func visit(since revision: Revision, _ body: (SyncItem) throws -> Void) async throws -> Bool {
        guard let token, let cursor = try descriptor.layer.metadata().cursor else { return false }
        return try await client.forEachChange(
            since: Cursor(epoch: cursor.epoch, revision: revision), usingJWT: token, body)
    }
}
