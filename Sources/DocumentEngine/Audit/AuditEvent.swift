import Annotations
import EngineCore
import SyncProtocol
import Synchronization

/// One line of the audit log: who did what to which document, and the outcome. It contains no content, no token and no
/// secret.
struct AuditEvent: Hashable, Sendable {
    enum Action: String, Hashable, Sendable, CaseIterable {
        case upload
        case readPDF = "read_pdf"
        case readAttachment = "read_attachment"
        case export
        case copyDocument = "copy_document"
        case copyLayer = "copy_layer"
        case deleteDocument = "delete_document"
        case deleteLayer = "delete_layer"
        case deleteRecords = "delete_records"
        case revoke
        /// Keys and secrets were read again.
        case reload
        /// Earlier lines could not be written.
        case lose
    }

    /// What the handler of a request knows; the rest comes from the request itself.
    struct Details: Hashable, Sendable {
        /// The backend, by the number of its secret, counted from 1; the user of a token; or the server itself.
        enum Actor: Hashable, Sendable {
            case backend(secret: Int)
            case user(String?, tokenID: String?)
            case server
        }

        /// nil until the request is authenticated. Other requests leave no line; otherwise anyone could fill the disk.
        var actor: Actor?
        var document: String?
        /// Empty for the default layer; nil if the action concerns no single layer.
        var layer: String?
        /// The document or the layer that a copy creates; nil if its name is not known.
        var newDocument: String?
        var newLayer: String?
        var attachment: AttachmentID?
        /// The number of records, tokens or lines.
        var count: Int?
        /// The `jti` of revoked tokens.
        var tokenIDs: [String] = []
        /// Keys that a reload added and removed.
        var addedKeys: [String] = []
        var removedKeys: [String] = []
        /// The request does not do what its route may do, and leaves no line.
        var isOmitted = false
    }

    var time: Timestamp
    var action: Action
    var details: Details
    var requestID: String?
    var address: String?
    var status: Int?
    /// The reason of a refusal; nil if the action was carried out.
    var problem: String?

    /// The maximum number of listed names; ``Details/count`` has the total.
    static let maxNames = 100

    /// The event as one line of JSON with its line feed. Names that could control a terminal are escaped.
    var line: String {
        JSONWriter.text {
            $0.member("time", time.iso8601)
            $0.member("action", action.rawValue)
            switch details.actor {
            case .backend(let secret):
                $0.member("plane", "backend")
                $0.member("secret", secret)
            case .user(let user, let tokenID):
                $0.member("plane", "sync")
                $0.member("user_id", orNull: user)
                $0.member("jti", orNull: tokenID)
            case .server, nil: $0.member("plane", "server")
            }
            if let requestID { $0.member("request_id", requestID) }
            if let address { $0.member("address", address) }
            if let document = details.document { $0.member("document_id", document) }
            if let layer = details.layer { $0.member("layer", layer) }
            if let document = details.newDocument { $0.member("new_document_id", document) }
            if let layer = details.newLayer { $0.member("new_layer", layer) }
            if let attachment = details.attachment { $0.member("attachment", attachment.hex) }
            if let count = details.count { $0.member("count", count) }
            for (name, values) in [
                ("jtis", details.tokenIDs), ("added_keys", details.addedKeys), ("removed_keys", details.removedKeys),
            ] where !values.isEmpty {
                $0.key(name)
                $0.array(values.prefix(Self.maxNames)) { $0.string($1) }
            }
            $0.member("outcome", problem ?? "done")
            if let status { $0.member("status", status) }
        }.escapingInvisible + "\n"
    }
}

/// What the handler of an audited request adds to its line.
final class AuditNotes: Sendable {
    private let state: Mutex<AuditEvent.Details>

    init(_ details: AuditEvent.Details = AuditEvent.Details()) { state = Mutex(details) }

    var details: AuditEvent.Details { state.withLock { $0 } }

    func add(_ change: (inout AuditEvent.Details) -> Void) { state.withLock { change(&$0) } }

    func identify(_ token: VerifiedToken) {
        add {
            $0.actor = .user(token.grant.userID, tokenID: token.id)
            ($0.document, $0.layer) = (token.grant.documentID, token.grant.layer)
        }
    }
}
