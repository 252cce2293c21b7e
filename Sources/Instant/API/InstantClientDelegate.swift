/// Hears what happens to the descriptors of a client. Called in order, one call at a time, on no thread in particular.
///
/// One that is slower than its layers is not told everything: when many calls wait, states and cycles that were overtaken
/// by later ones of the same descriptor are left out, a begin always together with its end.
public protocol InstantClientDelegate: AnyObject, Sendable {
    /// PDF and records are on this machine.
    func instantClient(_ client: InstantClient, didFinishDownloadFor descriptor: InstantDocumentDescriptor)
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didFailDownloadWithError: InstantError)
    /// A token is needed: hand one to ``InstantDocumentDescriptor/reauthenticate(withJWT:)``.
    func instantClient(_ client: InstantClient, didFailAuthenticationFor descriptor: InstantDocumentDescriptor)
    /// The server took it: safe to keep now.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFinishReauthenticationWithJWT: String)
    /// This token was not taken; the question stands.
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor,
        didFailReauthenticationWithError: InstantError)
    func instantClient(_ client: InstantClient, didBeginSyncFor descriptor: InstantDocumentDescriptor)
    /// ``InstantDocumentDescriptor/documentState`` has the newest one, which may be a later one than this call is about.
    func instantClient(_ client: InstantClient, didChangeSyncStateFor descriptor: InstantDocumentDescriptor)
    /// One of these two ends each begin.
    func instantClient(_ client: InstantClient, didFinishSyncFor descriptor: InstantDocumentDescriptor)
    func instantClient(
        _ client: InstantClient, documentDescriptor: InstantDocumentDescriptor, didFailSyncWithError: InstantError)
}

/// All of them may be left out.
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
        case .didMakeProgress, .didChangeRecords, .didReplacePDF, .tokenExpires, .didCheckIntegrity, .didLoseAccess,
            .didChangeConnection, .didChangePresence, .didCancelDownload, .refresh, .didClose:
            break
        }
    }
}
