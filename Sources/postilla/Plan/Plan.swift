import Annotations
import Instant
import InstantCore
import SyncProtocol

/// What a command would change, as `--dry-run` prints it and `apply` reads it: a line for the layer, then a line for
/// each file and change. Each change names the state that it was made for.
struct Plan {
    /// A record and its revision when the plan was made.
    struct Version: Equatable {
        var id: Record.ID
        var revision: Revision
    }

    enum Change {
        /// - Parameter root: The annotation of a comment, unless the plan creates it.
        case create(Record.ID, group: String??, Content, root: Version?)
        case update(Version, Content)
        /// - Parameter with: The records that are deleted too.
        case delete(Version, with: [Version])

        var id: Record.ID {
            switch self {
            case .create(let id, _, _, _): id
            case .update(let version, _), .delete(let version, _): version.id
            }
        }
    }

    /// The layer that the plan was made for.
    struct Place: Equatable {
        var server: String
        var document: String
        var layer: String
        var user: String?
        /// Differs after the layer was recreated or restored from a backup, when revisions mean something else.
        var generation: String
        var revision: Revision
    }

    var place: Place
    var attachments: [AttachmentID: [UInt8]] = [:]
    var changes: [Change] = []

    static let version: Int64 = 1
}

extension LayerSession {
    /// The layer as it is now.
    ///
    /// - Throws: ``CommandFailure`` for a PDF of one's own, whose revisions end with its engine.
    func planPlace() throws -> Plan.Place {
        guard own == nil else { throw CommandFailure("plans are for layers on a server, not for a PDF", .usage) }
        guard let cursor = try descriptor.layer.metadata().cursor else { throw EditError.noGrant }
        let identity = descriptor.identity
        return Plan.Place(
            server: identity.server, document: identity.documentID, layer: identity.layer, user: identity.userID,
            generation: String(cursor.epoch.prefix(whileScalar: { $0 != "-" })), revision: cursor.revision)
    }

    /// - Returns: nil if the server has no such record.
    /// - Throws: ``CommandFailure`` if the record has unsent edits, which the server may refuse.
    func version(of id: Record.ID) throws -> Plan.Version? {
        try descriptor.layer.store.read { store in
            guard try store.entries(of: id).allSatisfy({ $0.stage == .applied }) else {
                throw CommandFailure("\(id) has unsent edits; run postilla sync first")
            }
            return try store.record(id).map { Plan.Version(id: id, revision: $0.revision) }
        }
    }

    /// Returns the change of a step; nil if it changes nothing.
    ///
    /// - Parameter created: The records that the plan creates.
    func change(_ step: ImportPlanner.Step, _ created: Set<ByteOrdered>) throws -> Plan.Change? {
        switch step.action {
        case .create:
            let root = step.item.content["rootId"]?.string.flatMap { created.contains(ByteOrdered($0)) ? nil : $0 }
            return .create(
                step.id, group: step.item.group, step.item.content, root: try root.flatMap { try version(of: $0) })
        case .update: return try version(of: step.id).map { .update($0, step.item.content) }
        case .unchanged, .skip: return nil
        }
    }

    func change(_ deletion: PlannedDeletion) throws -> Plan.Change? {
        guard let version = try version(of: deletion.record.id) else { return nil }
        return .delete(version, with: try deletion.records.dropFirst().compactMap { try self.version(of: $0.id) })
    }
}
