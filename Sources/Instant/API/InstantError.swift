import Annotations
public import FoundationEssentials
import InstantCore

/// The error of every call: a documented kind, a message that states what happened and why, and a suggestion. Never
/// contains a token.
public struct InstantError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The token is invalid or for another layer; the token is for a user other than the descriptor's.
        case invalidJWT, userIDMismatch
        /// The token or the read-only document does not allow the operation, or access to the layer was lost.
        case accessDenied
        case alreadyDownloaded, alreadyAuthenticating
        /// The waiting task, or the download, was cancelled. Not a failure: there is nothing to report.
        case cancelled
        /// A token is needed, or the server refused the supplied one.
        case authenticationFailed
        /// The server is unreachable: a temporary state, not a reason for an alert.
        case requestFailed
        /// The server, or something on the way to it, does not accept edits. They are kept and sent again; everything else
        /// was received.
        case editsNotSent
        /// The server's response is invalid: the server is not compatible, or the response was damaged in transit.
        case invalidServerData
        /// The call is impossible: for example, the content is not Instant JSON, or no thread can begin there.
        case invalidRequest
        case payloadLimitExceeded
        /// This library, or the server, is too old for the other.
        case oldClient, oldServer
        case databaseAccessFailed, couldNotWriteToDisk, couldNotReadFromDiskCache, couldNotRemoveDiskCacheEntries
        /// The local storage was removed, or the client was closed or released. A new descriptor, of an open client, is
        /// needed.
        case invalidDocument
        /// The document or annotation belongs to another layer.
        case unmanagedDocument, unmanagedAnnotation
        case noSuchAnnotation
        /// A new record needs an author, and neither the token nor the installation provides one.
        case authorNeeded
        /// The call would remove edits that exist only on this machine.
        case unsentEdits
        /// The sync reached its end, but edits are in conflict or were refused
        /// (``InstantDocumentDescriptor/conflicts()``).
        case rejectedEdits
        /// The user may not view the new record: it would disappear as soon as the server has it. Nothing was created.
        case recordWouldBeHidden
        /// The file has not been downloaded; it does not exist; it cannot be stored locally.
        case attachmentNotLoaded, noSuchAttachment, couldNotCreateAttachment
        /// The layer was stored by an older version and is read-only until it is migrated.
        case contentMigrationNeeded, performingContentMigration
    }

    public var kind: Kind
    /// A sentence for the user. Its wording may change; ``kind`` does not.
    public var message: String
    private let suggestion: String?

    /// - Parameter recoverySuggestion: What to do; nil for that of the kind.
    public init(_ kind: Kind, _ message: String, recoverySuggestion: String? = nil) {
        self.kind = kind
        self.message = message
        suggestion = recoverySuggestion
    }

    public var description: String { message }
}

extension InstantError: LocalizedError {
    public var errorDescription: String? { message }

    /// What a user or the application can do; nil if nothing helps.
    public var recoverySuggestion: String? {
        if let suggestion { return suggestion }
        switch kind {
        case .invalidJWT, .userIDMismatch, .authenticationFailed: return "Get a new token for this layer."
        case .alreadyAuthenticating: return "Try again when the server has answered."
        case .requestFailed, .editsNotSent: return "Nothing to do: the next attempt is automatic."
        case .oldClient: return "Update this program."
        case .oldServer: return "Update the server."
        case .couldNotWriteToDisk: return "Check the data folder and the free space."
        case .invalidDocument: return "Open the layer again."
        case .authorNeeded: return "Ask the user for a name."
        case .unsentEdits: return "Send, save or discard the edits first."
        case .rejectedEdits: return "Send the edits again, merge them or discard them."
        case .recordWouldBeHidden: return "Choose another group, or create the record all the same."
        case .attachmentNotLoaded: return "Load the attachment first."
        case .contentMigrationNeeded, .performingContentMigration: return "Try again in a moment."
        case .accessDenied, .alreadyDownloaded, .cancelled, .invalidServerData, .invalidRequest,
            .payloadLimitExceeded, .databaseAccessFailed, .couldNotReadFromDiskCache, .couldNotRemoveDiskCacheEntries,
            .unmanagedDocument, .unmanagedAnnotation, .noSuchAnnotation, .noSuchAttachment, .couldNotCreateAttachment:
            return nil
        }
    }

    static let cancelled = InstantError(.cancelled, "cancelled")
}

extension InstantError {
    init(_ failure: SyncFailure) {
        let kind: Kind =
            switch failure {
            case .token: .authenticationFailed
            case .forbidden, .lost: .accessDenied
            case .epochChanged, .clientIDTaken, .invalidServer: .invalidServerData
            case .tooLarge: .payloadLimitExceeded
            case .unreachable, .stalled: .requestFailed
            case .notSent: .editsNotSent
            case .attachment: .noSuchAttachment
            case .oldClient: .oldClient
            case .oldServer: .oldServer
            case .store: .databaseAccessFailed
            }
        self.init(kind, failure.description)
    }

    /// Runs code that throws the core's errors, and translates them to documented kinds.
    static func translating<T>(_ body: () throws -> T) throws(InstantError) -> T {
        do { return try body() } catch { throw InstantError(error) }
    }

    /// Translates an error of the layer or its store.
    init(_ error: any Error) {
        switch error {
        case let error as InstantError: self = error
        case let error as SyncFailure: self.init(error)
        case let error as EditError:
            switch error {
            case .denied, .noGrant: self.init(.accessDenied, error.description)
            case .noSuchRecord, .rootGone: self.init(.noSuchAnnotation, error.description)
            case .invalid, .noThread, .noRoot, .notAComment, .formatted, .otherKind, .threadGrew, .cannotUndo,
                .noSuchEntry, .resolvedUnseen:
                self.init(.invalidRequest, error.description)
            }
        case let error as InvalidContent: self.init(.invalidRequest, error.description)
        case let error as JSONError: self.init(.invalidRequest, "not Instant JSON: \(error)")
        case let error as FormattingConflict: self.init(.invalidRequest, error.description)
        case is CancellationError: self = .cancelled
        case let error as PDFDownload.Replaced: self.init(.invalidServerData, error.description)
        case let error as LocalStoreError:
            if case .olderSchema = error {
                self.init(.contentMigrationNeeded, error.description)
            } else {
                self.init(.databaseAccessFailed, error.description)
            }
        default: self.init(.databaseAccessFailed, "\(error)")
        }
    }
}
