import InstantCore

/// What went wrong, by the documented kinds, with a sentence that says what, where and what to do. Never holds a token.
/// Cancelling is no failure: that is `CancellationError`.
public struct InstantError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// No token, or one for another layer; one for another user than the descriptor's.
        case invalidJWT, userIDMismatch
        /// The token, or the document that was opened for reading, does not allow it; or the layer was lost.
        case accessDenied
        case alreadyDownloaded, alreadyAuthenticating
        /// A token is needed, or the server did not take the one it was given.
        case authenticationFailed
        /// The server is out of reach: a state, and no reason for an alert.
        case requestFailed
        /// What the server says makes no sense: none of ours, or damaged on the way.
        case invalidServerData
        /// The call itself cannot be done: content that is no Instant JSON, a thread where none can begin.
        case invalidRequest
        case payloadLimitExceeded
        /// This library, or the server, is too old for the other.
        case oldClient, oldServer
        case databaseAccessFailed, couldNotWriteToDisk, couldNotReadFromDiskCache, couldNotRemoveDiskCacheEntries
        /// The local storage was removed, or its client is gone.
        case invalidDocument
        /// A document or an annotation of somebody else.
        case unmanagedDocument, unmanagedAnnotation
        case noSuchAnnotation
        /// A new record has to say whose it is, and neither token nor installation names an author.
        case authorNeeded
        /// What was asked for would take edits along that are nowhere else.
        case unsentEdits
        /// It is at the server and not here yet; it is nowhere; it cannot be kept here.
        case attachmentNotLoaded, noSuchAttachment, couldNotCreateAttachment
        /// The layer was stored by an older version and can only be read until it is brought up to date.
        case contentMigrationNeeded, performingContentMigration
    }

    public var kind: Kind
    /// A sentence for a person. Which words it has is no promise; ``kind`` is.
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

    /// Runs what speaks the core's errors, and says them by their documented kinds.
    static func translating<T>(_ body: () throws -> T) throws(InstantError) -> T {
        do { return try body() } catch { throw InstantError(error) }
    }

    /// What the layer or its store threw.
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
