import Annotations
import AsyncHTTPClient
import Authorization
public import FoundationEssentials
package import InstantCore
import Synchronization

/// One server, with what is kept of it on this machine. Several may live side by side.
///
/// Keep it alive: descriptors do not retain it, and without it their sync ends. Documents and layers are found again
/// after a restart by ``localDocumentDescriptors()``; tokens are not kept.
public final class InstantClient: Sendable {
    public let serverURL: URL
    /// Where layers, PDFs and attachments are kept; of this user alone (mode 0700).
    public let dataDirectory: URL

    let address: ServerAddress
    let folders: Folders
    let environment: Environment
    private let http: HTTPClient
    private let allowsInsecureHTTP: Bool
    private let open = Mutex<[LayerIdentity: InstantDocumentDescriptor]>([:])
    private let delegation = DelegateDispatcher()
    private let network = Mutex<(any Sendable)?>(nil)

    /// - Parameters:
    ///   - serverURL: `https://…`, or `http://…` on this machine.
    ///   - dataDirectory: made if it is missing; one folder serves any number of servers, users and programs. nil:
    ///     ``defaultDataDirectory()``.
    ///   - allowsInsecureHTTP: sends tokens over plain http to other machines as well.
    /// - Throws: ``InstantError`` when the address is none or the folder cannot be used.
    public convenience init(
        serverURL: URL, dataDirectory: URL? = nil, allowsInsecureHTTP: Bool = false
    ) throws(InstantError) {
        let folder = if let dataDirectory { dataDirectory } else { try Self.defaultDataDirectory() }
        try self.init(
            serverURL: serverURL, dataDirectory: folder, allowsInsecureHTTP: allowsInsecureHTTP, environment: .system)
    }

    package init(
        serverURL: URL, dataDirectory: URL, allowsInsecureHTTP: Bool = false, environment: Environment
    ) throws(InstantError) {
        self.serverURL = serverURL
        self.dataDirectory = dataDirectory
        self.allowsInsecureHTTP = allowsInsecureHTTP
        self.environment = environment
        address = try ServerAddress(serverURL)
        folders = try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes)
        http = HTTPTransport.makeHTTPClient()
        let watch = environment.watchNetwork { [weak self] in self?.networkReturned() }
        network.withLock { $0 = watch }
    }

    /// Pauses before the next try are pointless now.
    private func networkReturned() {
        for descriptor in open.withLock({ Array($0.values) }) { descriptor.networkReturned() }
    }

    deinit {
        let gone = InstantError(.requestFailed, "the client is gone: it has to be kept alive while syncing")
        for descriptor in open.withLock(\.values) { descriptor.close(because: gone) }
        http.shutdown { _ in }
    }

    /// Hears the events of every descriptor from now on. Held weakly.
    public var delegate: (any InstantClientDelegate)? {
        get { delegation.delegate }
        set { delegation.delegate = newValue }
    }

    /// The layer that a token names. Offline: the token is only decoded, nothing is downloaded. Always the same
    /// instance for the same document, layer and user.
    ///
    /// - Throws: `invalidJWT`; `accessDenied` when it does not grant reading.
    public func documentDescriptor(forJWT jwt: String) throws(InstantError) -> InstantDocumentDescriptor {
        let grant = try Self.grant(of: jwt)
        return descriptor(
            LayerIdentity(
                server: address.text, documentID: grant.documentID, layer: grant.layer, userID: grant.userID))
    }

    /// The layers of this server that are on this machine, of every user.
    public func localDocumentDescriptors() throws(InstantError) -> [InstantDocumentDescriptor] {
        var descriptors: [InstantDocumentDescriptor] = []
        for entry in try listCacheEntries() where entry.problem == nil {
            descriptors.append(descriptor(entry.identity))
        }
        return descriptors
    }

    package func descriptor(_ identity: LayerIdentity) -> InstantDocumentDescriptor {
        open.withLock { open in
            if let known = open[identity] { return known }
            let recorder = RequestRecorder(now: environment.now)
            let transport = HTTPTransport(http: http, address: address, recorder: recorder)
            let delegation = delegation
            let descriptor = InstantDocumentDescriptor(
                identity: identity, folders: folders, transport: transport, recorder: recorder,
                environment: environment,
                allowsToken: allowsInsecureHTTP || address.isEncrypted || address.isLoopback)
            descriptor.onEvent = { [weak self, weak descriptor] event in
                guard let self, let descriptor else { return }
                delegation.send(event, self, descriptor)
            }
            descriptor.onInvalid = { [weak self] in _ = self?.forget([identity]) }
            open[identity] = descriptor
            return descriptor
        }
    }

    /// A descriptor whose storage was removed is not handed out again.
    func forget(_ identities: some Sequence<LayerIdentity>) -> [InstantDocumentDescriptor] {
        open.withLock { open in identities.compactMap { open.removeValue(forKey: $0) } }
    }

    static func grant(of jwt: String) throws(InstantError) -> Grant {
        let claims: Claims
        do { claims = try Claims(token: jwt) } catch { throw InstantError(.invalidJWT, error.description) }
        guard claims.grant.mayRead else {
            throw InstantError(.accessDenied, #"this token lacks "read-document": the annotations may not be read"#)
        }
        return claims.grant
    }
}

extension String {
    var trimmedSlashes: String {
        var text = self
        while text.count > 1, text.hasSuffix("/") { text.removeLast() }
        return text
    }
}
