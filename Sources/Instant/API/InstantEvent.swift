public import Annotations
public import FoundationEssentials
public import InstantCore

/// An event of a layer. Each access to `events` returns a new stream; if a stream overflows because it is not read, one
/// ``didMissEvents`` replaces the lost events.
public enum InstantEvent: Hashable, Sendable {
    case didMakeProgress(DownloadProgress)
    /// The progress of a file that is being sent, at most four times a second, and only if that takes longer than a second;
    /// nil: none is being sent any more.
    case didMakeUploadProgress(UploadProgress?)
    case didFinishDownload
    case didFailDownload(InstantError)
    /// The download was stopped through its ``InstantProgress``; the received part stays.
    case didCancelDownload
    /// A token is needed: none since launch, expired, revoked or refused. The layer stays readable and editable.
    /// With a token provider (``InstantClient/tokenProvider``), only if the provider has no token, or none that the
    /// server accepts.
    case didFailAuthentication(TokenNeed)
    /// The server accepted the token: it may be stored now.
    case didFinishReauthentication(AcceptedToken)
    case didFailReauthentication(InstantError)
    case didBeginSync
    case didChangeSyncState(DocumentState)
    case didFinishSync
    case didFailSync(InstantError)
    /// These records changed or were removed; `byOthers` are those that other users changed.
    case didChangeRecords(Set<Record.ID>, byOthers: Set<Record.ID>)
    /// The server did not accept these edits: another client's change came first, or it refused them. They are kept
    /// with their texts until the user resolves them (``InstantDocument/resolve(_:_:)``).
    case didRejectEdits([Conflict])
    /// The document was overwritten on the server: its PDF is no longer the local one. Download it.
    case didReplacePDF
    /// The new token gets a different file of the same document, with or without the PDF's own annotations. Download
    /// it; the local file is removed.
    case didChangePDF
    /// Sent five minutes and one minute before the token expires, by the server's clock.
    case willExpireToken(at: Date)
    /// The local records were compared with the server's; if they differ, the layer is loaded again. nil: inconclusive,
    /// because the layer kept changing or the server is too old.
    case didCheckIntegrity(IntegrityReport?)
    /// The document or layer is gone, or read access was withdrawn; local storage and edits are kept.
    case didLoseAccess(String)
    /// Connected, disconnected or waiting for a token: ``InstantDocumentDescriptor/status`` has the current state.
    case didChangeConnection
    /// A participant joined, moved or left, or presenting began or ended: read ``InstantDocumentDescriptor/presence``.
    case didChangePresence
    /// Reload everything that is shown: events were lost, or two changed records have ids that Swift's `==` takes for the
    /// same text.
    case didMissEvents
    /// The last event: the client was closed or released, or the local storage was removed.
    case didClose(InstantError)
}

extension InstantEvent {
    /// Whether the event can end a call that awaits a download, a token, a cycle or a comparison.
    var mayEndACall: Bool {
        switch self {
        case .didFinishDownload, .didFailDownload, .didCancelDownload, .didFailAuthentication,
            .didFinishReauthentication, .didFailReauthentication, .didFinishSync, .didFailSync, .didCheckIntegrity,
            .didLoseAccess, .didChangeConnection, .didClose:
            true
        case .didMakeProgress, .didMakeUploadProgress, .didBeginSync, .didChangeSyncState, .didChangeRecords,
            .didRejectEdits, .didReplacePDF, .didChangePDF, .willExpireToken, .didChangePresence, .didMissEvents:
            false
        }
    }
}

extension InstantEvent {
    var isAcceptance: Bool { if case .didFinishReauthentication = self { true } else { false } }

    /// Whether ``InstantClientDelegate`` has a method for the event.
    var isForDelegates: Bool {
        switch self {
        case .didMakeProgress, .didMakeUploadProgress, .didFinishDownload, .didFailDownload, .didFailAuthentication,
            .didFinishReauthentication, .didFailReauthentication, .didBeginSync, .didChangeSyncState, .didFinishSync,
            .didFailSync, .didChangeRecords, .didRejectEdits, .didReplacePDF, .didChangePDF, .willExpireToken,
            .didLoseAccess, .didMissEvents:
            true
        case .didCheckIntegrity, .didChangeConnection, .didChangePresence, .didCancelDownload, .didClose: false
        }
    }
}

/// The progress of a PDF download, in bytes.
public struct DownloadProgress: Hashable, Sendable {
    public var received: Int64
    public var total: Int64

    public init(received: Int64, total: Int64) {
        self.received = received
        self.total = total
    }
}

/// The progress of a file that a record needs, in bytes.
public struct UploadProgress: Hashable, Sendable {
    /// The file's name on the server, its SHA-256.
    public var file: AttachmentID
    /// What was sent, counted from the beginning of the file, also if an earlier attempt sent it.
    public var sent: Int64
    public var total: Int64

    public init(file: AttachmentID, sent: Int64, total: Int64) {
        self.file = file
        self.sent = sent
        self.total = total
    }
}

/// A token that the server accepted. It prints as a placeholder, because it belongs in a secret store, not in a log.
public struct AcceptedToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public let jwt: String

    init(_ jwt: String) { self.jwt = jwt }

    public var description: String { "(token)" }
    public var debugDescription: String { "(token)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A running download: its progress, and a way to cancel it.
public struct InstantProgress: Sendable {
    /// The number of bytes of the PDF received so far.
    public let received: Int64
    /// 0 until the server reports it.
    public let total: Int64
    private let stop: @Sendable () -> Void

    init(_ progress: DownloadProgress, stop: @escaping @Sendable () -> Void) {
        received = progress.received
        total = progress.total
        self.stop = stop
    }

    /// From 0 to 1.
    public var fractionCompleted: Double { total > 0 ? Double(received) / Double(total) : 0 }

    /// Cancels the download; the received part stays for the next one. Reports `didCancelDownload`.
    public func cancel() { stop() }
}
