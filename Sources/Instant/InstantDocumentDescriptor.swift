import Annotations
import Authorization
import FoundationEssentials
public import InstantCore
import Synchronization

/// One layer of one document, for one user. State is a snapshot at the moment it is asked for; everything may be
/// called from any thread.
///
/// The local storage is opened by the first call that needs it, quickly and without the network.
public final class InstantDocumentDescriptor: Sendable {
    public var identifier: String { identity.documentID }
    /// The default layer's name is the empty string.
    public var layerName: String { identity.layer }
    /// nil: anonymous.
    public var userID: String? { identity.userID }

    package let identity: LayerIdentity
    let folders: Folders
    private let transport: HTTPTransport
    private let environment: Environment
    private let allowsToken: Bool
    private let state = Mutex(State())

    private struct State {
        var performer: LayerPerformer?
        var isInvalid = false
        var listeners = 0
        var delay: Duration? = .seconds(1)
        var onEvent: (@Sendable (InstantEvent) -> Void)?
    }

    init(
        identity: LayerIdentity, folders: Folders, transport: HTTPTransport, environment: Environment,
        allowsToken: Bool
    ) {
        self.identity = identity
        self.folders = folders
        self.transport = transport
        self.environment = environment
        self.allowsToken = allowsToken
    }

    var onEvent: (@Sendable (InstantEvent) -> Void)? {
        get { state.withLock(\.onEvent) }
        set { state.withLock { $0.onEvent = newValue } }
    }

    /// Opens the local storage, once.
    func performer() throws(InstantError) -> LayerPerformer {
        let opened = state.withLock { state -> Result<LayerPerformer, InstantError> in
            if let performer = state.performer { return .success(performer) }
            guard !state.isInvalid else {
                return .failure(InstantError(.invalidDocument, "the local storage of this layer was removed"))
            }
            do throws(InstantError) {
                let folder = folders.layer(identity)
                let store = try Self.open(folder, identity: identity, now: environment.now())
                let performer = LayerPerformer(
                    folder: folder, store: store, folders: folders, transport: transport, environment: environment,
                    onEvent: { [weak self] event in self?.onEvent?(event) })
                performer.post(.pushDelay(state.delay?.milliseconds))
                state.performer = performer
                return .success(performer)
            } catch { return .failure(error) }
        }
        return try opened.get()
    }

    private static func open(
        _ folder: String, identity: LayerIdentity, now: Timestamp
    ) throws(InstantError) -> SQLiteStore {
        try Folders.make(folder)
        do {
            let store = try SQLiteStore(path: Folders.database(in: folder))
            try store.found(identity, now: now)
            return store
        } catch { throw InstantError(error) }
    }

    /// The layer, for reading and editing; its errors are those of the core.
    package var layer: Layer { get throws { try performer().layer } }

    func close(because error: InstantError) {
        state.withLock { state in
            defer { state.performer = nil }
            return state.performer
        }?.close(because: error)
    }

    func invalidate() {
        let performer = state.withLock { state in
            state.isInvalid = true
            defer { state.performer = nil }
            return state.performer
        }
        performer?.post(.storageRemoved)
        performer?.settle()
        performer?.close(because: InstantError(.invalidDocument, "the local storage was removed"))
        performer?.settle()
    }
}

extension InstantDocumentDescriptor {
    /// Events from now on, in their order; each access gives a stream of its own.
    public var events: AsyncStream<InstantEvent> {
        (try? performer().hub.stream()) ?? AsyncStream { $0.finish() }
    }

    public var documentState: DocumentState {
        guard let performer = try? performer() else { return .invalid }
        return performer.snapshot.documentState
    }

    /// PDF and records are on this machine.
    public var isDownloaded: Bool {
        guard let facts = try? layer.facts() else { return false }
        return facts.cursor != nil && pdfFile != nil
    }

    /// The PDF's path, once it is here.
    public var pdfFile: String? {
        guard let sha256 = try? layer.facts().pdfSHA256, Folders.isSHA256(sha256) else { return nil }
        let path = folders.pdf(sha256)
        return Folders.isFile(path) ? path : nil
    }

    /// nil before the first byte.
    public var downloadProgress: DownloadProgress? { (try? performer())?.snapshot.progress }

    /// Fetches PDF and records. A second call while one runs is the same download.
    ///
    /// - Throws: `alreadyDownloaded` when both are here (re-authenticate instead); `accessDenied` without `download`
    ///   in the token; `invalidJWT`, `userIDMismatch` for a token of another layer or user.
    public func download(usingJWT jwt: String) throws(InstantError) {
        let grant = try check(jwt)
        guard !isDownloaded else {
            throw InstantError(.alreadyDownloaded, "this layer is on this machine already")
        }
        guard grant.mayDownload || pdfFile != nil else {
            throw InstantError(.accessDenied, #"this token lacks "download" and the PDF is not on this machine"#)
        }
        let performer = try performer()
        performer.wantDownload()
        performer.supply(jwt)
    }

    /// Stops the download; what has arrived is kept for the next one.
    public func cancelDownload() { (try? performer())?.cancelDownload() }

    /// Answers by event: `didFinishReauthentication` (then the token is safe to keep) or `didFailReauthentication`.
    public func reauthenticate(withJWT jwt: String) {
        guard let performer = try? performer() else { return }
        do throws(InstantError) {
            _ = try check(jwt)
            performer.supply(jwt)
        } catch {
            performer.onQueue { performer.tell(.didFailReauthentication(error)) }
        }
    }

    /// One cycle, always both ways. Answers by event.
    public func sync() { (try? performer())?.post(.syncRequested) }

    /// Ends the cycle under way, if there is one.
    public func stopSyncing() { (try? performer())?.post(.syncStopped) }

    /// Counted: each start needs a stop. While listening, changes of others arrive by themselves.
    public func startListeningForServerChanges() {
        let isFirst = state.withLock { state in
            state.listeners += 1
            return state.listeners == 1
        }
        if isFirst { (try? performer())?.post(.listening(true)) }
    }

    public func stopListeningForServerChanges() {
        let wasLast = state.withLock { state in
            state.listeners = max(0, state.listeners - 1)
            return state.listeners == 0
        }
        if wasLast { (try? performer())?.post(.listening(false)) }
    }

    /// How long after the last edit it is sent; nil: only by ``sync()``.
    public var delayForSyncingLocalChanges: Duration? {
        get { state.withLock(\.delay) }
        set {
            let performer = state.withLock { state in
                state.delay = newValue
                return state.performer
            }
            performer?.post(.pushDelay(newValue?.milliseconds))
        }
    }

    /// Removes this layer's annotations from this machine, unsent edits too; the PDF stays. The descriptor is
    /// `invalid` afterwards.
    public func removeLocalStorage() throws(InstantError) {
        invalidate()
        let folder = folders.layer(identity)
        if Folders.isFile(Folders.database(in: folder)) { try Folders.remove(folder) }
    }

    private func check(_ jwt: String) throws(InstantError) -> Grant {
        let grant = try InstantClient.grant(of: jwt)
        guard grant.documentID.isExactly(identity.documentID), grant.layer.isExactly(identity.layer) else {
            throw InstantError(.invalidJWT, "this token is for another layer")
        }
        guard grant.userID.isExactly(identity.userID) else {
            throw InstantError(.userIDMismatch, "this token is for another user")
        }
        guard allowsToken else {
            throw InstantError(
                .invalidRequest,
                "a token is not sent over plain http to another machine: use https, or --insecure-http to do it anyway")
        }
        return grant
    }
}

extension Duration {
    var milliseconds: Int64 { max(0, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000) }
}
