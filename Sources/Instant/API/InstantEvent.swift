public import Annotations
public import InstantCore

/// What happens to a layer. Each access to `events` gives a stream of its own; one that is not read overflows, and its
/// overflow becomes one ``refresh``.
public enum InstantEvent: Hashable, Sendable {
    case didMakeProgress(DownloadProgress)
    case didFinishDownload
    case didFailDownload(InstantError)
    /// It was stopped through its ``InstantProgress``; what has arrived is kept.
    case didCancelDownload
    /// A token is needed: none since launch, expired, revoked or refused. The layer stays readable and editable.
    case didFailAuthentication(TokenNeed)
    /// The server accepted it: safe to keep now.
    case didFinishReauthentication(AcceptedToken)
    case didFailReauthentication(InstantError)
    case didBeginSync
    case didChangeSyncState(DocumentState)
    case didFinishSync
    case didFailSync(InstantError)
    /// These look different now or are gone; `byOthers` are those that someone else changed.
    case didChangeRecords(Set<Record.ID>, byOthers: Set<Record.ID>)
    /// The server holds another PDF than the one here.
    case didReplacePDF
    /// Told five minutes and one minute ahead, by the server's clock.
    case tokenExpires(at: Timestamp)
    /// What is here was compared with what the server holds; if it is not the same, it is loaded anew. nil: nobody
    /// can say, because the layer moved on meanwhile or the server is too old to be asked.
    case didCheckIntegrity(IntegrityReport?)
    /// The document or layer is gone, or reading was withdrawn: storage and edits stay.
    case didLoseAccess(String)
    /// Connected, cut off, waiting for a token: the status has the present state of it.
    case didChangeConnection
    /// Somebody came, moved or left, or presenting began or ended: ``InstantDocumentDescriptor/presence`` has the picture.
    case didChangePresence
    /// Something was missed: read again what is shown.
    case refresh
    /// Nothing follows: the client is gone, or the local storage was removed.
    case didClose(InstantError)
}

extension InstantEvent {
    /// Whoever awaits a download, a token, a cycle or a comparison may be told by this that it is over.
    var mayEndACall: Bool {
        switch self {
        case .didFinishDownload, .didFailDownload, .didCancelDownload, .didFailAuthentication,
            .didFinishReauthentication, .didFailReauthentication, .didFinishSync, .didFailSync, .didCheckIntegrity,
            .didLoseAccess, .didChangeConnection, .didClose:
            true
        case .didMakeProgress, .didBeginSync, .didChangeSyncState, .didChangeRecords, .didReplacePDF, .tokenExpires,
            .didChangePresence, .refresh:
            false
        }
    }
}

extension InstantEvent {
    /// There is a method of ``InstantClientDelegate`` for it.
    var isForDelegates: Bool {
        switch self {
        case .didFinishDownload, .didFailDownload, .didFailAuthentication, .didFinishReauthentication,
            .didFailReauthentication, .didBeginSync, .didChangeSyncState, .didFinishSync, .didFailSync:
            true
        case .didMakeProgress, .didChangeRecords, .didReplacePDF, .tokenExpires, .didCheckIntegrity, .didLoseAccess,
            .didChangeConnection, .didChangePresence, .didCancelDownload, .refresh, .didClose:
            false
        }
    }
}

/// How far the download of a PDF has come, in bytes.
public struct DownloadProgress: Hashable, Sendable {
    public var received: Int64
    public var total: Int64

    public init(received: Int64, total: Int64) {
        self.received = received
        self.total = total
    }
}

/// A token that the server accepted. It prints as a placeholder: it is meant for a secret store, not for a log.
public struct AcceptedToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public let jwt: String

    init(_ jwt: String) { self.jwt = jwt }

    public var description: String { "(token)" }
    public var debugDescription: String { "(token)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A download on its way: how far it has come, and the way to stop it.
public struct InstantProgress: Sendable {
    /// In bytes of the PDF.
    public let received: Int64
    /// 0 until the server has told.
    public let total: Int64
    private let stop: @Sendable () -> Void

    init(_ progress: DownloadProgress, stop: @escaping @Sendable () -> Void) {
        received = progress.received
        total = progress.total
        self.stop = stop
    }

    /// From 0 to 1.
    public var fractionCompleted: Double { total > 0 ? Double(received) / Double(total) : 0 }

    /// Ends the download; what has arrived is kept for the next one. Answers by `didCancelDownload`.
    public func cancel() { stop() }
}
