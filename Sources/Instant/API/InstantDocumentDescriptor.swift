import Annotations
import Authorization
import Dispatch
public import FoundationEssentials
public import InstantCore
import Synchronization

/// One layer of one document, for one user. Properties are snapshots of the current state; every member may be called
/// from any thread.
///
/// The first call that needs the local storage opens it, quickly and without the network. Once the local storage is
/// removed, or the client is closed or released, the descriptor stays closed: its state is `invalid`, and calls throw
/// `invalidDocument`.
public final class InstantDocumentDescriptor: Sendable {
    public var identifier: String { identity.documentID }
    /// Empty for the default layer.
    public var layerName: String { identity.layer }
    /// nil if anonymous.
    public var userID: String? { identity.userID }

    package let identity: LayerIdentity
    let folders: Folders
    private let transport: HTTPTransport
    let recorder: RequestRecorder
    private let environment: Environment
    let allowsToken: Bool
    let hub = EventHub()
    let asker = TokenAsker()
    private let state = Mutex(State())
    /// Opens the storage.
    private let opening = DispatchQueue(label: "postilla.opening")

    private struct State {
        var performer: LayerPerformer?
        /// Why the descriptor is closed, for good.
        var end: InstantError?
        /// What the first token claims; it determines the store to open.
        var claims: Grant?
        var listeners = 0
        var delay: Duration? = .seconds(1)
        var onEvent: (@Sendable (InstantEvent) -> Void)?
        var tokenProvider: (@Sendable () -> InstantClient.TokenProvider?)?
        /// Called once, after the storage was removed, with the tasks that are ending.
        var onInvalid: (@Sendable ([Task<Void, Never>]) -> Void)?
        /// Called with tasks that are ending.
        var onEnding: (@Sendable ([Task<Void, Never>]) -> Void)?
        /// The performers of stores that the descriptor has left.
        var left: [Left] = []
        weak var editable: InstantDocument?
    }

    private struct Left {
        weak var performer: LayerPerformer?
    }

    init(
        identity: LayerIdentity, folders: Folders, transport: HTTPTransport, recorder: RequestRecorder,
        environment: Environment, allowsToken: Bool
    ) {
        self.identity = identity
        self.folders = folders
        self.transport = transport
        self.recorder = recorder
        self.environment = environment
        self.allowsToken = allowsToken
    }

    var onEvent: (@Sendable (InstantEvent) -> Void)? {
        get { state.withLock(\.onEvent) }
        set { state.withLock { $0.onEvent = newValue } }
    }

    var onInvalid: (@Sendable ([Task<Void, Never>]) -> Void)? {
        get { state.withLock(\.onInvalid) }
        set { state.withLock { $0.onInvalid = newValue } }
    }

    var onEnding: (@Sendable ([Task<Void, Never>]) -> Void)? {
        get { state.withLock(\.onEnding) }
        set { state.withLock { $0.onEnding = newValue } }
    }

    private func follow(_ tasks: [Task<Void, Never>]) { onEnding?(tasks) }

    /// The client's provider at this moment.
    var tokenProvider: InstantClient.TokenProvider? {
        get { state.withLock(\.tokenProvider)?() }
    }

    func askForTokens(with provider: @escaping @Sendable () -> InstantClient.TokenProvider?) {
        state.withLock { $0.tokenProvider = provider }
    }

    /// Why the descriptor is closed; nil while it is open.
    var end: InstantError? { state.withLock(\.end) }

    /// Returns the one editable document, created on first use.
    func editable(_ make: () -> InstantDocument) -> InstantDocument {
        state.withLock { state in
            if let document = state.editable { return document }
            let document = make()
            state.editable = document
            return document
        }
    }

    func tell(_ event: InstantEvent) {
        hub.send(event)
        onEvent?(event)
    }

    /// Edits with the permissions of a token that is not sent to the server. The server checks each edit when it is
    /// sent.
    ///
    /// - Throws: `accessDenied` if the token does not grant reading, or sees another part of the layer than any local
    ///   copy has.
    package func act(by grant: Grant) async throws(InstantError) {
        guard grant.mayRead else {
            throw InstantError(.accessDenied, #"cannot read the annotations: this token lacks "read-document""#)
        }
        let first = try performer()
        await first.act(by: grant)
        // It may have been replaced by that of another store.
        if case let next = try performer(), next !== first { await next.act(by: grant) }
        guard try InstantError.translating({ try layer.fits(grant) }) else {
            throw InstantError(
                .accessDenied,
                "the copy on this machine has another part of this layer than this token may see",
                recoverySuggestion: "Connect to the server, which sends the part that this token may see.")
        }
    }

    /// Opens the local storage, once.
    func performer() throws(InstantError) -> LayerPerformer {
        if let known = try known() { return known }
        // Other callers that need the storage wait for it here; the state stays free for those that do not.
        let opened = opening.sync { () -> Result<LayerPerformer, InstantError> in
            do throws(InstantError) {
                if let known = try known() { return .success(known) }
                let next = performer(in: try stores.open(for: state.withLock(\.claims)))
                if use(next, insteadOf: nil) { return .success(next) }
                drop(next)
                guard let known = try known() else { throw .cancelled }
                return .success(known)
            } catch { return .failure(error) }
        }
        return try opened.get()
    }

    /// Returns the performer of the open storage; nil if it is not open yet.
    private func known() throws(InstantError) -> LayerPerformer? {
        let (performer, end) = state.withLock { ($0.performer, $0.end) }
        if performer == nil, let end { throw end }
        return performer
    }

    /// - Returns: false if the descriptor was closed, or has another performer by now.
    private func use(_ next: LayerPerformer, insteadOf old: LayerPerformer?) -> Bool {
        state.withLock { state in
            guard state.end == nil, state.performer === old else { return false }
            next.post(.pushDelay(state.delay?.milliseconds))
            if state.listeners > 0 { next.post(.listening(true)) }
            state.performer = next
            if let old { state.left = state.left.filter { $0.performer != nil } + [Left(performer: old)] }
            return true
        }
    }

    /// Opens the store of this grant's view, if no store is open yet.
    func expect(_ grant: Grant) { state.withLock { if $0.performer == nil { $0.claims = grant } } }

    var stores: LayerStores { LayerStores(identity, folders: folders, environment: environment) }

    private func performer(in open: OpenStore) -> LayerPerformer {
        LayerPerformer(
            open, of: stores, folders: folders, transport: transport, hub: hub,
            onMove: { [weak self] next, luggage in
                // Without a descriptor, the store has no user.
                if let self { move(to: next, luggage) } else { next.close() }
            },
            onLeave: { [weak self] in self?.follow($0) },
            holdsBack: { [weak self] in self?.holdsBack($0) ?? false },
            onEvent: { [weak self] event in self?.onEvent?(event) })
    }

    /// Continues in another store of the layer; everything that is shown must be read again.
    private func move(to open: OpenStore, _ luggage: Luggage) {
        let next = performer(in: open)
        let old = state.withLock(\.performer)
        guard let old, use(next, insteadOf: old) else { return drop(next) }
        next.take(luggage)
        tell(.didMissEvents)
    }

    /// Closes a performer that is not used after all.
    private func drop(_ performer: LayerPerformer) {
        follow(performer.leave())
        performer.closeFiles()
    }

    /// Closes the files that earlier performers left to their readers. Must not be called on a performer's queue.
    private func closeLeftFiles() {
        let left = state.withLock { state in
            defer { state.left = [] }
            return state.left.compactMap(\.performer)
        }
        for performer in left { performer.closeFiles() }
    }

    /// The storage in use; nil if none was opened yet.
    var openStore: OpenStore? { state.withLock { $0.performer?.open } }

    /// The layer, for reading and editing; it throws the core's errors.
    package var layer: Layer { get throws { try performer().layer } }

    /// Whether no server ever granted access to this layer, and no other process has it open.
    package var isDisposable: Bool {
        guard let performer = try? performer(), performer.open.isMain, performer.isOnlyUser, stores.sides.isEmpty,
            let metadata = try? performer.open.layer.metadata()
        else { return false }
        return metadata.grant == nil
    }

    /// Releases the layer's lock before this program is stopped, as by Ctrl-Z, so that another process can sync. Returns
    /// within about a second.
    func standAside() { state.withLock(\.performer)?.standAside() }

    func standBack() { state.withLock(\.performer)?.post(.suspended(false)) }

    /// Closes the descriptor for good. The layer's lock is free when this returns.
    ///
    /// - Returns: The tasks that are ending.
    @discardableResult
    func close(because error: InstantError) -> [Task<Void, Never>] { close(error)?.close(because: error) ?? [] }

    /// Closes the descriptor for good, and waits until everything is written and released.
    func closeAndWait(because error: InstantError) async {
        let question = asker.close()
        if let performer = close(error) { await performer.closeAndWait(because: error) }
        await question?.value
        await withCheckedContinuation { continuation in
            opening.async {
                self.closeLeftFiles()
                continuation.resume()
            }
        }
    }

    /// - Returns: What is still open.
    private func close(_ error: InstantError) -> LayerPerformer? {
        asker.close()
        let (performer, wasOpen) = state.withLock { state in
            let wasOpen = state.end == nil
            let performer = state.performer
            state.end = state.end ?? error
            (state.performer, state.listeners) = (nil, 0)
            return (performer, wasOpen)
        }
        if performer == nil, wasOpen {
            tell(.didClose(error))
            hub.finish()
        }
        return performer
    }

    /// A layer that was never opened has nothing to retry.
    func networkReturned() { state.withLock(\.performer)?.post(.retryRequested) }

    func invalidate() {
        let removed = InstantError(.invalidDocument, "the local storage was removed")
        let open = state.withLock { state -> LayerPerformer?? in
            guard state.end == nil else { return nil }
            // Without storage that is open, the events end below.
            if state.performer != nil { state.end = removed }
            return .some(state.performer)
        }
        guard let open else { return }
        open?.post(.storageRemoved)
        open?.settle()
        let tasks = close(because: removed)
        open?.closeFiles()
        closeLeftFiles()
        onInvalid?(tasks)
    }
}

extension InstantDocumentDescriptor {
    /// A stream of the events from now on, in order; each access returns a new one.
    public var events: AsyncStream<InstantEvent> { hub.stream() }

    /// The same, limited to events that can end a waiting call, so that progress and changes cannot displace an end.
    var ends: AsyncStream<InstantEvent> { hub.stream(where: \.mayEndACall) }

    /// The state of the local data; `invalid` once the local storage has been removed or the client is gone, or if the
    /// storage cannot be opened.
    public var documentState: DocumentState {
        do throws(InstantError) {
            let performer = try performer()
            let state = performer.snapshot.documentState
            guard [.unknown, .clean, .dirty].contains(state) else { return state }
            // The session learns of an edit a moment after the storage has it.
            return try InstantError.translating { try performer.layer.stateAtRest() }
        } catch {
            return error.kind == .contentMigrationNeeded ? .needsContentMigration : .invalid
        }
    }

    /// Whether the PDF and the records are on this machine.
    public var isDownloaded: Bool {
        guard let metadata = try? layer.metadata() else { return false }
        return metadata.cursor != nil && pdfPath != nil
    }

    /// The file of the PDF; nil until it is downloaded.
    public var pdfURL: URL? { pdfPath.map { URL(filePath: $0) } }

    package var pdfPath: String? {
        guard let sha256 = try? layer.metadata().pdfSHA256, Folders.isSHA256(sha256) else { return nil }
        let path = folders.pdf(sha256)
        return Folders.isFile(path) ? path : nil
    }

    /// The progress of the running download, with a way to cancel it; nil if none is running.
    public var downloadProgress: InstantProgress? {
        guard let performer = try? performer() else { return nil }
        return performer.snapshot.progress.map { progress in
            InstantProgress(progress, stop: { [weak performer] in performer?.cancelDownload() })
        }
    }

    /// The progress of the file that is being sent; nil if none is, or for less than a second.
    public var uploadProgress: UploadProgress? { state.withLock(\.performer)?.uploads.withLock(\.current) }

    /// Downloads the PDF and the records. A second call during a download joins it.
    ///
    /// - Throws: `alreadyDownloaded` if both are on this machine (re-authenticate instead); `accessDenied` if the token
    ///   lacks `download` and the PDF is missing, or if the token does not grant reading; `invalidJWT` or
    ///   `userIDMismatch` for a token of another layer or user.
    public func download(usingJWT jwt: String) throws(InstantError) {
        let grant = try check(jwt)
        guard !isDownloaded else {
            throw InstantError(.alreadyDownloaded, "this layer is already on this machine")
        }
        guard grant.mayDownload || pdfPath != nil else {
            throw InstantError(.accessDenied, #"cannot download the PDF: this token lacks "download""#)
        }
        let performer = try performer()
        performer.wantDownload()
        asker.supplied(jwt)
        performer.supply(jwt, grant)
    }

    /// Runs one cycle, always in both directions. Ends with `didFinishSync` or `didFailSync`, or asks for a token
    /// (`didFailAuthentication`).
    public func sync() {
        do throws(InstantError) { try performer().post(.syncRequested) } catch { tell(.didFailSync(error)) }
    }

    /// Ends the running cycle, if any.
    public func stopSyncing() { (try? performer())?.post(.syncStopped) }

    /// Starts listening. Calls are counted: each start needs a stop. While listening, remote changes arrive
    /// automatically, even if ``delayForSyncingLocalChanges`` is nil.
    public func startListeningForServerChanges() {
        state.withLock { state in
            state.listeners += 1
            // Posted under the lock, so that concurrent starts and stops take effect in order.
            if state.listeners == 1 { state.performer?.post(.listening(true)) }
        }
        _ = try? performer()
    }

    /// Cancels one start. A surplus stop has no effect.
    public func stopListeningForServerChanges() {
        state.withLock { state in
            guard state.listeners > 0 else { return }
            state.listeners -= 1
            if state.listeners == 0 { state.performer?.post(.listening(false)) }
        }
    }

    /// The delay between the last edit and sending, 1 s by default; if nil, only ``sync()`` sends edits. While one edit
    /// follows another, they are sent after five times the delay. A negative one counts as 0, and any length is allowed.
    /// Setting it does not send waiting edits.
    public var delayForSyncingLocalChanges: Duration? {
        get { state.withLock(\.delay) }
        set {
            state.withLock { state in
                state.delay = newValue
                state.performer?.post(.pushDelay(newValue?.milliseconds))
            }
        }
    }
}

extension InstantDocumentDescriptor {
    /// Reserves the layer for its removal; it stays open.
    ///
    /// - Throws: `couldNotRemoveDiskCacheEntries` if another process has it open.
    func removal() throws(InstantError) -> LayerRemoval {
        closeLeftFiles()
        return try LayerRemoval(of: folders.layer(identity), open: state.withLock(\.performer)?.open)
    }
}

/// Compared by identity: a client has one descriptor for each layer.
extension InstantDocumentDescriptor: Hashable, Identifiable {
    public static func == (one: InstantDocumentDescriptor, other: InstantDocumentDescriptor) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Duration {
    /// At least 0. More than fit are as many as fit.
    var milliseconds: Int64 { Int64(saturating: max(0, (self / .milliseconds(1)).rounded())) }
}
