/// The receiver of the events of a client's descriptors. Called in order, one call at a time, on an unspecified thread.
///
/// A delegate that is slower than its layers misses calls: when many wait, states and cycles superseded by later ones
/// of the same descriptor are dropped; a begin is always dropped together with its end.
public protocol InstantClientDelegate: AnyObject, Sendable {
    /// Called when the PDF and the records have been downloaded.
    func instantClient(_ client: InstantClient, didFinishDownloadFor descriptor: InstantDocumentDescriptor)
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didFailDownloadWithError: InstantError)
    /// Called when a token is needed: supply one with ``InstantDocumentDescriptor/reauthenticate(withJWT:)``.
    func instantClient(_ client: InstantClient, didFailAuthenticationFor descriptor: InstantDocumentDescriptor)
    /// Called when the server has accepted the token, which may now be stored.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFinishReauthenticationWithJWT: String)
    /// Called when the token was refused, or could not be tried and will be retried.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFailReauthenticationWithError: InstantError)
    func instantClient(_ client: InstantClient, didBeginSyncFor descriptor: InstantDocumentDescriptor)
    /// ``InstantDocumentDescriptor/documentState`` returns the newest state, which may be later than the one of this
    /// call.
    func instantClient(_ client: InstantClient, didChangeSyncStateFor descriptor: InstantDocumentDescriptor)
    /// Each begin is followed by either this call or the next one.
    func instantClient(_ client: InstantClient, didFinishSyncFor descriptor: InstantDocumentDescriptor)
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didFailSyncWithError: InstantError)
}

/// Every method is optional.
extension InstantClientDelegate {
    public func instantClient(_: InstantClient, didFinishDownloadFor _: InstantDocumentDescriptor) {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didFailDownloadWithError _: InstantError
    ) {}
    public func instantClient(_: InstantClient, didFailAuthenticationFor _: InstantDocumentDescriptor) {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didFinishReauthenticationWithJWT _: String
    ) {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor,
        didFailReauthenticationWithError _: InstantError
    ) {}
    public func instantClient(_: InstantClient, didBeginSyncFor _: InstantDocumentDescriptor) {}
    public func instantClient(_: InstantClient, didChangeSyncStateFor _: InstantDocumentDescriptor) {}
    public func instantClient(_: InstantClient, didFinishSyncFor _: InstantDocumentDescriptor) {}
    public func instantClient(
        _: InstantClient, documentDescriptor _: InstantDocumentDescriptor, didFailSyncWithError _: InstantError
    ) {}
}

extension InstantClientDelegate {
    func receive(_ event: InstantEvent, _ client: InstantClient, _ descriptor: InstantDocumentDescriptor) {
        switch event {
        case .didFinishDownload: instantClient(client, didFinishDownloadFor: descriptor)
        case .didFailDownload(let error):
            instantClient(client, documentDescriptor: descriptor, didFailDownloadWithError: error)
        case .didFailAuthentication: instantClient(client, didFailAuthenticationFor: descriptor)
        case .didFinishReauthentication(let token):
            instantClient(client, documentDescriptor: descriptor, didFinishReauthenticationWithJWT: token.jwt)
        case .didFailReauthentication(let error):
            instantClient(client, documentDescriptor: descriptor, didFailReauthenticationWithError: error)
        case .didBeginSync: instantClient(client, didBeginSyncFor: descriptor)
        case .didChangeSyncState: instantClient(client, didChangeSyncStateFor: descriptor)
        case .didFinishSync: instantClient(client, didFinishSyncFor: descriptor)
        case .didFailSync(let error):
            instantClient(client, documentDescriptor: descriptor, didFailSyncWithError: error)
        case .didMakeProgress, .didChangeRecords, .didReplacePDF, .didChangePDF, .tokenExpires, .didCheckIntegrity,
            .didLoseAccess,
            .didChangeConnection, .didChangePresence, .didCancelDownload, .refresh, .didClose:
            break
        }
    }
}
