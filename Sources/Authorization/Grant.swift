public import Annotations

/// A general permission, by its word in the `permissions` claim. Web clients know more words; they are kept aside.
public enum GeneralPermission: String, Hashable, Sendable, CaseIterable {
    case readDocument = "read-document"
    case download
    case write
}

/// What one token lets its bearer do on one layer: the claims without the token and without its signature.
///
/// The last accepted grant is stored with the layer and governs the keys until the next token.
public struct Grant: Hashable, Sendable {
    public var documentID: String
    /// The default layer's name is the empty string.
    public var layer: String
    /// nil: anonymous.
    public var userID: String?
    public var general: Set<GeneralPermission>
    /// nil when the claim is absent: general permissions alone decide.
    public var collaboration: [Permission]?
    /// The group stamped on new records; nil is the null group.
    public var defaultGroup: String?
    /// Author of new records, forced by the server; nil leaves it to the client.
    public var creatorName: String?
    /// By the server's clock.
    public var expiresAt: Timestamp

    public init(
        documentID: String, layer: String = "", userID: String? = nil,
        general: Set<GeneralPermission> = Set(GeneralPermission.allCases), collaboration: [Permission]? = nil,
        defaultGroup: String? = nil, creatorName: String? = nil, expiresAt: Timestamp
    ) {
        self.documentID = documentID
        self.layer = layer
        self.userID = userID
        self.general = general
        self.collaboration = collaboration
        self.defaultGroup = defaultGroup
        self.creatorName = creatorName
        self.expiresAt = expiresAt
    }

    public var mayRead: Bool { general.contains(.readDocument) }
    public var mayDownload: Bool { general.contains(.download) }
    public var mayWrite: Bool { mayRead && general.contains(.write) }
}

/// What may be done to one record with the present grant (guide: `instantRecordOperations`).
public struct RecordOperations: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let edit = RecordOperations(rawValue: 1)
    public static let delete = RecordOperations(rawValue: 2)
    public static let reply = RecordOperations(rawValue: 4)
    public static let setGroup = RecordOperations(rawValue: 8)
}

extension Grant {
    /// All but ``RecordOperations/reply``, which is a question of the thread: whether the record can be a root, and
    /// what stands under it.
    public func operations(on record: Record) -> RecordOperations {
        RecordOperations.decisions(about: Subject(record)).reduce(into: []) {
            if decide($1.operation).isAllowed { $0.insert($1.name) }
        }
    }

    /// Why not all of these may be done to a record, again but for ``RecordOperations/reply``; nil when they may.
    package func denial(of operations: RecordOperations, on record: Record) -> Denial? {
        for (name, operation) in RecordOperations.decisions(about: Subject(record)) where operations.contains(name) {
            if case .denied(let denial) = decide(operation) { return denial }
        }
        return nil
    }
}

extension RecordOperations {
    fileprivate static func decisions(about subject: Subject) -> [(name: RecordOperations, operation: Operation)] {
        [
            (.edit, .edit(subject)), (.delete, .delete(subject)),
            (.setGroup, .move(subject, to: subject.group)),
        ]
    }
}
