public import FoundationEssentials
public import InstantCore

/// The receiver of the events of a client's descriptors. Every method is optional.
///
/// Called in order, one call at a time: on the main actor if the delegate is a `@MainActor` class, on its actor if it is
/// one, and otherwise on an unspecified thread. The requirements are asynchronous for this reason; a conforming method
/// need not be.
///
/// ```swift
/// @MainActor final class ViewController: InstantClientDelegate {
///     func instantClient(_ client: InstantClient, didFinishDownloadFor descriptor: InstantDocumentDescriptor) { … }
/// }
/// ```
///
/// A delegate that is slower than its layers misses calls: when many wait, progress, states and cycles superseded by
/// later ones of the same descriptor are dropped, and one `didMissEventsFor` replaces the changed records. A begin is
/// always dropped together with its end.
public protocol InstantClientDelegate: AnyObject, Sendable {
    // MARK: Downloading

    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didMakeProgress: DownloadProgress) async
    /// Called when the PDF and the records have been downloaded.
    func instantClient(_ client: InstantClient, didFinishDownloadFor descriptor: InstantDocumentDescriptor) async
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didFailDownloadWithError: InstantError)
        async
    /// Called when the local PDF is no longer the one for the current token: it was replaced on the server, or the
    /// token gets another file. Download it.
    func instantClient(_ client: InstantClient, didReplacePDFFor descriptor: InstantDocumentDescriptor) async

    // MARK: Authentication

    /// Called when a token is needed: supply one with ``InstantDocumentDescriptor/reauthenticate(withJWT:)``. With a
    /// token provider, called only if it has none that the server accepts.
    func instantClient(_ client: InstantClient, didFailAuthenticationFor descriptor: InstantDocumentDescriptor) async
    /// Called when the server has accepted the token, which may now be stored.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFinishReauthenticationWithJWT: String) async
    /// Called when the token was refused, or could not be tried and will be retried.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFailReauthenticationWithError: InstantError) async
    /// Called five minutes and one minute before the token expires, by the server's clock.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, willExpireTokenAt: Date) async
    /// Called when the document or layer is gone, or read access was withdrawn, with the reason as a sentence. Local
    /// storage and edits are kept.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didLoseAccessBecause: String) async

    // MARK: Syncing

    func instantClient(_ client: InstantClient, didBeginSyncFor descriptor: InstantDocumentDescriptor) async
    /// ``InstantDocumentDescriptor/documentState`` returns the newest state, which may be later than the one of this
    /// call.
    func instantClient(_ client: InstantClient, didChangeSyncStateFor descriptor: InstantDocumentDescriptor) async
    /// Each begin is followed by either this call or the next one. A sync that cannot begin fails without a begin.
    func instantClient(_ client: InstantClient, didFinishSyncFor descriptor: InstantDocumentDescriptor) async
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didFailSyncWithError: InstantError)
        async

    /// Called at most four times a second while a file is being sent for longer than a second, and with nil at its end.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didMakeUploadProgress: UploadProgress?)
        async

    // MARK: Records

    /// Called when records changed or were removed; `byOthers` are those that other users changed.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didChangeRecords: Set<InstantRecord.ID>, byOthers: Set<InstantRecord.ID>) async
    /// Called when the server did not accept edits: another client's change came first, or it refused them. They are
    /// kept until the user resolves them (``InstantDocument/resolve(_:_:)``).
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didRejectEdits: [Conflict]) async
    /// Called when everything shown must be read again, because changes were missed.
    func instantClient(_ client: InstantClient, didMissEventsFor descriptor: InstantDocumentDescriptor) async
}

extension InstantClientDelegate {
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didMakeProgress _: DownloadProgress
    ) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didMakeUploadProgress _: UploadProgress?
    ) async {}
    public func instantClient(_: InstantClient, didFinishDownloadFor _: InstantDocumentDescriptor) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didFailDownloadWithError _: InstantError
    ) async {}
    public func instantClient(_: InstantClient, didReplacePDFFor _: InstantDocumentDescriptor) async {}
    public func instantClient(_: InstantClient, didFailAuthenticationFor _: InstantDocumentDescriptor) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didFinishReauthenticationWithJWT _: String
    ) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor,
        didFailReauthenticationWithError _: InstantError
    ) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, willExpireTokenAt _: Date
    ) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didLoseAccessBecause _: String
    ) async {}
    public func instantClient(_: InstantClient, didBeginSyncFor _: InstantDocumentDescriptor) async {}
    public func instantClient(_: InstantClient, didChangeSyncStateFor _: InstantDocumentDescriptor) async {}
    public func instantClient(_: InstantClient, didFinishSyncFor _: InstantDocumentDescriptor) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didFailSyncWithError _: InstantError
    ) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didChangeRecords _: Set<InstantRecord.ID>,
        byOthers _: Set<InstantRecord.ID>
    ) async {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didRejectEdits _: [Conflict]
    ) async {}
    public func instantClient(_: InstantClient, didMissEventsFor _: InstantDocumentDescriptor) async {}
}

extension InstantClientDelegate {
    func receive(_ event: InstantEvent, _ client: InstantClient, _ descriptor: InstantDocumentDescriptor) async {
        switch event {
        case .didMakeProgress(let progress):
            await instantClient(client, documentDescriptor: descriptor, didMakeProgress: progress)
        case .didMakeUploadProgress(let progress):
            await instantClient(client, documentDescriptor: descriptor, didMakeUploadProgress: progress)
        case .didFinishDownload: await instantClient(client, didFinishDownloadFor: descriptor)
        case .didFailDownload(let error):
            await instantClient(client, documentDescriptor: descriptor, didFailDownloadWithError: error)
        case .didReplacePDF, .didChangePDF: await instantClient(client, didReplacePDFFor: descriptor)
        case .didFailAuthentication: await instantClient(client, didFailAuthenticationFor: descriptor)
        case .didFinishReauthentication(let token):
            await instantClient(client, documentDescriptor: descriptor, didFinishReauthenticationWithJWT: token.jwt)
        case .didFailReauthentication(let error):
            await instantClient(client, documentDescriptor: descriptor, didFailReauthenticationWithError: error)
        case .willExpireToken(let end):
            await instantClient(client, documentDescriptor: descriptor, willExpireTokenAt: end)
        case .didLoseAccess(let why):
            await instantClient(client, documentDescriptor: descriptor, didLoseAccessBecause: why)
        case .didBeginSync: await instantClient(client, didBeginSyncFor: descriptor)
        case .didChangeSyncState: await instantClient(client, didChangeSyncStateFor: descriptor)
        case .didFinishSync: await instantClient(client, didFinishSyncFor: descriptor)
        case .didFailSync(let error):
            await instantClient(client, documentDescriptor: descriptor, didFailSyncWithError: error)
        case .didChangeRecords(let ids, let others):
            await instantClient(client, documentDescriptor: descriptor, didChangeRecords: ids, byOthers: others)
        case .didRejectEdits(let conflicts):
            await instantClient(client, documentDescriptor: descriptor, didRejectEdits: conflicts)
        case .didMissEvents: await instantClient(client, didMissEventsFor: descriptor)
        case .didCheckIntegrity, .didChangeConnection, .didChangePresence, .didCancelDownload, .didClose: break
        }
    }
}
