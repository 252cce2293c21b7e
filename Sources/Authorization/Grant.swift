public import Annotations

/// A general permission, by its name in the `permissions` claim. Names that only other clients use grant nothing here.
public enum GeneralPermission: String, Hashable, Sendable, CaseIterable {
    case readDocument = "read-document"
    case download
    case write
}

/// The permissions of one token on one layer: the claims without token and signature.
///
/// The last accepted grant is stored with the layer and applies until the next token.
public struct Grant: Hashable, Sendable {
    public var documentID: String
    /// Empty for the default layer.
    public var layer: String
    /// nil if anonymous.
    public var userID: String?
    public var general: Set<GeneralPermission>
    /// nil if the claim is absent: general permissions alone decide.
    public var collaboration: [Permission]?
    /// The group stamped on new records; nil is the null group.
    public var defaultGroup: String?
    /// The author of new records, enforced by the server; nil leaves it to the client.
    public var creatorName: String?
    /// The expiry, by the server's clock.
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

    /// Whether the token may see everything that a PDF can contain: all annotations, comments and form values. Only
    /// then does it get the file as uploaded; other tokens get one without annotations.
    package var mayViewOriginalPDF: Bool {
        guard mayRead else { return false }
        guard let collaboration else { return true }
        return ContentType.allCases.allSatisfy { collaboration.contains(Permission($0, .view, .all)) }
    }
}

/// The operations that the current grant allows on one record (guide: `instantRecordOperations`).
public struct RecordOperations: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let edit = RecordOperations(rawValue: 1)
    public static let delete = RecordOperations(rawValue: 2)
    public static let reply = RecordOperations(rawValue: 4)
    public static let setGroup = RecordOperations(rawValue: 8)
}

extension Grant {
    /// Returns the allowed operations except ``RecordOperations/reply``, which depends on the thread: whether the
    /// record can be a root, and which comments it has.
    public func operations(on record: Record) -> RecordOperations {
        RecordOperations.decisions(about: record).reduce(into: []) {
            if decide($1.operation).isAllowed { $0.insert($1.name) }
        }
    }

    /// Returns why not all of these operations are allowed on a record, ignoring ``RecordOperations/reply``; nil if all
    /// are.
    package func denial(of operations: RecordOperations, on record: Record) -> Denial? {
        for (name, operation) in RecordOperations.decisions(about: record) where operations.contains(name) {
            if case .denied(let denial) = decide(operation) { return denial }
        }
        return nil
    }
}

extension RecordOperations {
    fileprivate static func decisions(about record: Record) -> [(name: RecordOperations, operation: Operation)] {
        let subject = Subject(record)
        return [
            (.edit, .editing(record)), (.delete, .delete(subject)),
            (.setGroup, .move(subject, to: subject.group)),
        ]
    }
}

extension RecordOperations: CustomStringConvertible {
    public var description: String {
        let names: [(RecordOperations, String)] = [
            (.edit, "edit"), (.delete, "delete"), (.reply, "reply"), (.setGroup, "set-group"),
        ]
        return "[" + names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") + "]"
    }
}
