import InstantCore

/// What went wrong, by the documented kinds, with a sentence that says what, where and what to do. Never holds a token.
/// Cancelling is no failure: that is `CancellationError`.
public struct InstantError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case invalidJWT, userIDMismatch, accessDenied, alreadyDownloaded, alreadyAuthenticating, authenticationFailed
        case requestFailed, invalidServerData, invalidRequest, payloadLimitExceeded, oldClient, oldServer
        case databaseAccessFailed, couldNotWriteToDisk, couldNotReadFromDiskCache, couldNotRemoveDiskCacheEntries
        case invalidDocument, unmanagedDocument, unmanagedAnnotation, noSuchAnnotation
        /// A new record has to say whose it is, and neither token nor installation names an author.
        case authorNeeded
        /// What was asked for would take edits along that are nowhere else.
        case unsentEdits
        case attachmentNotLoaded, noSuchAttachment, couldNotCreateAttachment
        case contentMigrationNeeded, performingContentMigration
    }

    public var kind: Kind
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
        case let error as EditProblem:
            switch error {
            case .denied, .noGrant: self.init(.accessDenied, error.description)
            case .noSuchRecord, .rootGone: self.init(.noSuchAnnotation, error.description)
            case .invalid, .noThread, .noRoot, .notAComment, .formatted, .otherKind, .cannotUndo, .noSuchEntry:
                self.init(.invalidRequest, error.description)
            }
        case let error as PDFDownload.Replaced: self.init(.invalidServerData, error.description)
        case let error as StoreError:
            if case .olderSchema = error {
                self.init(.contentMigrationNeeded, error.description)
            } else {
                self.init(.databaseAccessFailed, error.description)
            }
        default: self.init(.databaseAccessFailed, "\(error)")
        }
    }
}
