public import Authorization
import InstantCore

/// Why an operation is not possible, with a text for a status line: `needs annotations:delete:self`.
public struct OperationDenial: Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The document was opened read-only.
        case readOnlyDocument
        /// The layer is gone, or no longer readable.
        case accessLost
        /// No token has been accepted for this layer yet.
        case noToken
        /// The token lacks this general permission.
        case lacks(GeneralPermission)
        /// The token lacks a collaboration permission; any of these entries would suffice.
        case needs([CollaborationPermission])
        /// The record is a state that another person set.
        case stateOfAnother
        case noSuchAnnotation
        /// This record cannot have comments, whatever the token allows.
        case noThread
        /// Form fields cannot be changed, whatever the token allows.
        case formField
    }

    public let reason: Reason
    public let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    init(_ denial: Denial) {
        description = denial.description
        reason =
            switch denial {
            case .lacks(let permission): .lacks(permission)
            case .needs(let entries): .needs(entries)
            case .formField: .formField
            case .stateOfAnother: .stateOfAnother
            }
    }

    init(_ error: EditError) {
        switch error {
        case .denied(let denial): self.init(denial)
        case .noGrant: self.init(.noToken, error.description)
        case .noSuchRecord, .rootGone: self.init(.noSuchAnnotation, error.description)
        default: self.init(.noThread, error.description)
        }
    }
}
