import InstantCore

/// An error with its documented kind and a sentence that gives cause, place and remedy. Never contains a token.
/// Cancellation is not an error of this type, but `CancellationError`.
public struct InstantError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An invalid token, or one for another layer; a token for another user than the descriptor's.
        case invalidJWT, userIDMismatch
        /// The token or the read-only document does not allow it, or the layer was lost.
        case accessDenied
        case alreadyDownloaded, alreadyAuthenticating
        /// A token is needed, or the server refused the supplied one.
        case authenticationFailed
        /// The server is unreachable: a temporary state, not a reason for an alert.
        case requestFailed
        /// The server's response is invalid: not a compatible server, or damaged in transit.
        case invalidServerData
        /// The call is impossible: content that is not Instant JSON, a thread where none can begin.
        case invalidRequest
        case payloadLimitExceeded
        /// This library, or the server, is too old for the other.
        case oldClient, oldServer
        case databaseAccessFailed, couldNotWriteToDisk, couldNotReadFromDiskCache, couldNotRemoveDiskCacheEntries
        /// The local storage was removed, or its client no longer exists.
        case invalidDocument
        /// The document or annotation belongs to another layer.
        case unmanagedDocument, unmanagedAnnotation
        case noSuchAnnotation
        /// A new record needs an author, and neither token nor installation names one.
        case authorNeeded
        /// The call would remove edits that exist only here.
        case unsentEdits
        /// The file is only at the server; it does not exist; it cannot be stored here.
        case attachmentNotLoaded, noSuchAttachment, couldNotCreateAttachment
        /// The layer was stored by an older version and is read-only until it is migrated.
        case contentMigrationNeeded, performingContentMigration
    }

    public var kind: Kind
    /// A sentence for the user. Its wording may change; ``kind`` does not.
    public var message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { message }
}

extension InstantError {
    init(_ failure: SyncFailure) {
        let kind: Kind =
            switch failure {
            case .token: .authenticationFailed
            case .forbidden, .lost: .accessDenied
            case .epochChanged, .clientIDTaken, .invalidServer: .invalidServerData
            case .tooLarge: .payloadLimitExceeded
            case .unreachable: .requestFailed
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
            case .invalid, .noThread, .noRoot, .notAComment, .formatted, .otherKind, .cannotUndo, .noSuchEntry:
                self.init(.invalidRequest, error.description)
            }
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
