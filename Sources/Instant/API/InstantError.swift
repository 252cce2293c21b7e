import InstantCore

/// An error with a documented kind and a message that states the cause, the place and the remedy. Never contains a token.
/// Cancellation throws `CancellationError` instead.
public struct InstantError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The token is invalid or for another layer; the token is for a user other than the descriptor's.
        case invalidJWT, userIDMismatch
        /// The token or the read-only document does not allow the operation, or access to the layer was lost.
        case accessDenied
        case alreadyDownloaded, alreadyAuthenticating
        /// A token is needed, or the server refused the supplied one.
        case authenticationFailed
        /// The server is unreachable: a temporary state, not a reason for an alert.
        case requestFailed
        /// The server's response is invalid: the server is not compatible, or the response was damaged in transit.
        case invalidServerData
        /// The call is impossible: for example, the content is not Instant JSON, or no thread can begin there.
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
        /// A new record needs an author, and neither the token nor the installation provides one.
        case authorNeeded
        /// The call would remove edits that exist only on this machine.
        case unsentEdits
        /// The file has not been downloaded; it does not exist; it cannot be stored locally.
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
            case .invalid, .noThread, .noRoot, .notAComment, .formatted, .otherKind, .threadGrew, .cannotUndo,
                .noSuchEntry:
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
