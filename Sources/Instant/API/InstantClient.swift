import Annotations
import Authorization
public import FoundationEssentials
package import InstantCore
import Synchronization

/// The client of one server, with its local storage. Several clients can coexist.
///
/// Keep a reference: descriptors do not retain the client, and sync ends when it is released or closed. Its descriptors
/// then stay closed; a new client can open the same layers at once. After a restart, ``localDocumentDescriptors()``
/// returns the stored layers; tokens are not stored.
public final class InstantClient: Sendable {
    public let serverURL: URL
    /// The folder for layers, PDFs and attachments, accessible only to this user (mode 0700).
    public let dataDirectory: URL

    let address: ServerAddress
    let folders: Folders
    let environment: Environment
    private let http: HTTPClients
    private let allowsInsecureHTTP: Bool
    private let open = Mutex<[LayerIdentity: InstantDocumentDescriptor]>([:])
    private let provider = Mutex<TokenProvider?>(nil)
    /// Closes the client; nil while it is open.
    private let closing = Mutex<Task<Void, Never>?>(nil)
    /// The ends of removed layers and left stores.
    private let endings = Mutex<[UUID: Task<Void, Never>]>([:])
    private let delegation = DelegateDispatcher()
    private let network = Mutex<(any Sendable)?>(nil)

    /// - Parameters:
    ///   - serverURL: `https://…`, or `http://…` on this machine.
    ///   - dataDirectory: Created if missing; one folder serves any number of servers, users and programs. nil for
    ///     ``defaultDataDirectory()``.
    ///   - allowsInsecureHTTP: Whether to send tokens over plain HTTP to other machines too.
    /// - Throws: ``InstantError`` if the address is invalid or the folder cannot be used.
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
        // Last, because clients must be shut down, and an initialiser that throws cannot.
        http = HTTPClients()
        let watch = environment.watchNetwork { [weak self] in self?.networkReturned() }
        network.withLock { $0 = watch }
    }

    /// Ends the waits before the next attempts, because the network is back.
    private func networkReturned() {
        for descriptor in open.withLock({ Array($0.values) }) { descriptor.networkReturned() }
    }

    deinit {
        let gone = InstantError(
            .invalidDocument, "the client was released; keep it alive while syncing",
            recoverySuggestion: "Store the client in a property of the application.")
        for descriptor in open.withLock(\.values) { descriptor.close(because: gone) }
        http.shutdownLater()
    }

    /// Ends all sync, and waits until everything is written and released: no file is open and no lock is held when this
    /// returns. Edits that were not sent stay on this machine. Afterwards the descriptors are `invalid`; calls of the
    /// client and its descriptors throw `invalidDocument`. Further calls wait for the same end.
    ///
    /// Releasing the client ends its sync too, without waiting.
    public func close() async {
        let task = closing.withLock { closing in
            if let closing { return closing }
            let task = Task { await closeAll() }
            closing = task
            return task
        }
        await task.value
    }

    /// Follows the tasks of a removed layer, or of a store that was left, to their end, for ``close()``.
    private func follow(_ tasks: [Task<Void, Never>]) {
        guard !tasks.isEmpty else { return }
        let id = UUID()
        endings.withLock { endings in
            endings[id] = Task { [weak self] in
                for task in tasks { await task.value }
                self?.endings.withLock { $0[id] = nil }
            }
        }
    }

    private func closeAll() async {
        network.withLock { $0 = nil }
        let descriptors = open.withLock { Array($0.values) }
        await withTaskGroup { group in
            for descriptor in descriptors { group.addTask { await descriptor.closeAndWait(because: Self.closed) } }
        }
        while case let rest = endings.withLock({ Array($0.values) }), !rest.isEmpty {
            for ending in rest { await ending.value }
        }
        await http.shutdown()
    }

    private static let closed = InstantError(.invalidDocument, "the client was closed")

    /// Throws once the client was closed.
    func requireOpen() throws(InstantError) {
        if closing.withLock({ $0 != nil }) { throw Self.closed }
    }

    /// Returns a token for a layer, from the application's backend; nil if there is none.
    public typealias TokenProvider = @Sendable (InstantDocumentDescriptor) async throws -> String?

    /// Asked when a layer needs a token: after launch, when it expired, and when it was revoked.
    ///
    /// One question is open for each layer at a time. `didFailAuthentication` is sent only if the provider returns nil,
    /// throws, or returns a token that the server refuses; it is then asked again the next time that a token is needed
    /// (a sync, an edit that is due, the begin of listening), so refused tokens never cause a loop. A provider that
    /// returns the token that no longer works counts as one without a token.
    ///
    /// ```swift
    /// client.tokenProvider = { descriptor in try await backend.token(for: descriptor.identifier) }
    /// ```
    public var tokenProvider: TokenProvider? {
        get { provider.withLock { $0 } }
        set { provider.withLock { $0 = newValue } }
    }

    /// Receives the events of every descriptor from now on. Held weakly.
    public var delegate: (any InstantClientDelegate)? {
        get { delegation.delegate }
        set { delegation.delegate = newValue }
    }

    /// Returns the descriptor of the layer that a token names. Works offline: decodes the token and downloads nothing.
    /// Returns the same instance for the same document, layer and user.
    ///
    /// - Throws: `invalidJWT`; `accessDenied` if the token does not grant reading; `invalidDocument` if the client was
    ///   closed.
    public func documentDescriptor(forJWT jwt: String) throws(InstantError) -> InstantDocumentDescriptor {
        try requireOpen()
        let grant = try Self.grant(of: jwt)
        let descriptor = descriptor(
            LayerIdentity(
                server: address.canonical, documentID: grant.documentID, layer: grant.layer, userID: grant.userID))
        descriptor.expect(grant)
        return descriptor
    }

    /// Returns the descriptors of this server's layers on this machine, for all users.
    public func localDocumentDescriptors() throws(InstantError) -> [InstantDocumentDescriptor] {
        try requireOpen()
        var descriptors: [InstantDocumentDescriptor] = []
        for entry in try listCacheEntries() where entry.problem == nil {
            let descriptor = descriptor(entry.identity)
            // An earlier program may have kept a layer under two spellings of the address.
            if !descriptors.contains(where: { $0 === descriptor }) { descriptors.append(descriptor) }
        }
        return descriptors
    }

    /// Releases the locks of all layers before this program is stopped, as by Ctrl-Z.
    package func standAside() { for descriptor in open.withLock(\.values) { descriptor.standAside() } }

    package func standBack() { for descriptor in open.withLock(\.values) { descriptor.standBack() } }

    /// - Parameter identity: A layer of this server, under any spelling of its address.
    package func descriptor(_ identity: LayerIdentity) -> InstantDocumentDescriptor {
        var identity = identity
        identity.server = address.canonical
        return open.withLock { [identity] open in
            if let known = open[identity] { return known }
            let recorder = RequestRecorder(now: environment.now, tell: environment.requestEnded)
            let transport = transport(recorder)
            let delegation = delegation
            let descriptor = InstantDocumentDescriptor(
                identity: identity, folders: folders, transport: transport, recorder: recorder,
                environment: environment, allowsToken: allowsToken)
            descriptor.onEvent = { [weak self, weak descriptor] event in
                guard let self, let descriptor else { return }
                delegation.send(event, self, descriptor)
            }
            descriptor.onInvalid = { [weak self] tasks in
                _ = self?.forget([identity])
                self?.follow(tasks)
            }
            descriptor.onEnding = { [weak self] in self?.follow($0) }
            descriptor.askForTokens { [weak self] in self?.tokenProvider }
            open[identity] = descriptor
            // Closing closes the descriptors that it finds; a later one is closed from the start.
            if closing.withLock({ $0 != nil }) { descriptor.close(because: Self.closed) }
            return descriptor
        }
    }

    /// Whether a token may be sent to the server.
    var allowsToken: Bool { transport().allowsToken }

    func transport(_ recorder: RequestRecorder? = nil) -> HTTPTransport {
        HTTPTransport(
            http: http, address: address, allowsInsecureHTTP: allowsInsecureHTTP, recorder: recorder,
            patience: environment.patience)
    }

    /// Returns the descriptor of a layer if there is one.
    func known(_ identity: LayerIdentity) -> InstantDocumentDescriptor? { open.withLock { $0[identity] } }

    /// Removes descriptors whose storage was removed, so that they are not returned again.
    func forget(_ identities: some Sequence<LayerIdentity>) -> [InstantDocumentDescriptor] {
        open.withLock { open in identities.compactMap { open.removeValue(forKey: $0) } }
    }

    static func grant(of jwt: String) throws(InstantError) -> Grant {
        let claims: Claims
        do { claims = try Claims(token: jwt) } catch { throw InstantError(.invalidJWT, error.description) }
        guard claims.grant.mayRead else {
            throw InstantError(.accessDenied, #"cannot read the annotations: this token lacks "read-document""#)
        }
        return claims.grant
    }
}

extension String {
    var trimmedSlashes: String {
        var text = self
        while text.utf8.count > 1, let shorter = text.dropping(suffix: "/") { text = String(shorter) }
        return text
    }
}
