package import Annotations
package import SyncProtocol

/// Comparing the local records with the server's.
extension Layer {
    /// - Returns: nil if the two are at different epochs or revisions and cannot be compared.
    package func compare(with answer: DigestAnswer) throws -> IntegrityReport? {
        try store.read { store in
            guard let cursor = try store.metadata().cursor, cursor.epoch.isExactly(answer.epoch),
                cursor.revision == answer.upTo
            else { return nil }
            let digest = try store.digest()
            return IntegrityReport(
                here: digest.count, there: answer.count,
                isSound: digest.count == answer.count && digest.hash.isExactly(answer.hash))
        }
    }

    package func noteCheck(at now: Timestamp) throws {
        try store.write { try $0.changeMetadata { $0.checkedAt = now } }
    }
}

/// The result of a comparison with the server.
public struct IntegrityReport: Hashable, Sendable {
    /// The numbers of records in this store and on the server, as visible to the current token.
    public var here: Int64
    public var there: Int64
    /// Whether both have the same records at the same revisions. If not, the layer is loaded again.
    public var isSound: Bool

    package init(here: Int64, there: Int64, isSound: Bool) {
        self.here = here
        self.there = there
        self.isSound = isSound
    }
}
