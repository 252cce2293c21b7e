package import Annotations
package import SyncProtocol

/// Whether what is here is what the server holds.
extension Layer {
    /// - Returns: nil when the two stand at different revisions: nothing can be said then.
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

/// What a comparison with the server found.
public struct IntegrityReport: Hashable, Sendable {
    /// Records here and at the server, for the present token.
    public var here: Int64
    public var there: Int64
    /// The same records in the same revisions. If not, the layer is loaded anew.
    public var isSound: Bool

    package init(here: Int64, there: Int64, isSound: Bool) {
        self.here = here
        self.there = there
        self.isSound = isSound
    }
}
