import Annotations
import App
import Authorization
import Dispatch
import FoundationEssentials
import Instant
import InstantCore
import PDFPages
import Synchronization

/// One layer that is open in the viewer: turns the library's events into messages, asks the token's source before it
/// prompts the user, and holds the token in memory while the layer is open.
///
/// Calls come from several queues; the library's events are handled serially on one that may wait for the disk. A lock
/// guards the shared state.
final class OpenLayer: Sendable {
    let descriptor: InstantDocumentDescriptor
    /// Retained while the layer is open, because sync ends without it.
    let client: InstantClient
    private let source: TokenSource
    private let keeper: TokenKeeper
    /// The value of `--remember`.
    private let remembers: Bool
    private let post: @Sendable (Message) -> Void
    private let tools: PDFTools
    private let pdfs: KnownPDFs
    private let state: Mutex<State>
    /// The queue that reads and posts the layer's events in order.
    private let telling = DispatchQueue(label: "postilla.telling")
    /// The serial queue of operations that store and remove tokens by running another program.
    private let keeping: AsyncStream<@Sendable () async -> Void>.Continuation

    private struct State {
        var token: String?
        /// The last token that the server was asked about.
        var explained: String?
        /// The token in the secret store or the file.
        var kept: String?
        /// The source's last token. Once rejected, it is not tried again, even if another token was pasted in between.
        var sourceToken: String?
        var wantsPDF = false
        var wait: TokenWait
        var pages: PageReader?
        var meter = RateMeter()
        var uploadMeter = RateMeter()
        var events: Task<Void, Never>?
        var lastStatus: SyncStatus?
        /// The comments known to name the user.
        var mentions: Set<ByteOrdered>?
        var title: String?
        /// Why the last sync failed, until one succeeds: each attempt fails for the same reason.
        var syncFailure: String?
    }

    init(
        _ descriptor: InstantDocumentDescriptor, of client: InstantClient, source: TokenSource, keeper: TokenKeeper,
        remembers: Bool, tools: PDFTools, pdfs: KnownPDFs, post: @escaping @Sendable (Message) -> Void
    ) {
        self.descriptor = descriptor
        self.client = client
        self.source = source
        self.keeper = keeper
        self.remembers = remembers
        self.tools = tools
        self.pdfs = pdfs
        self.post = post
        state = Mutex(State(wait: TokenWait(canAskAgain: source.canBeAskedAgain)))
        let steps: AsyncStream<@Sendable () async -> Void>
        (steps, keeping) = AsyncStream.makeStream()
        Task { for await step in steps { await step() } }
    }

    /// Starts handling the library's events, and opens the PDF if it is on this machine.
    ///
    /// - Parameter hasToken: Whether a token is about to be supplied; if so, its absence is not reported.
    func start(hasToken: Bool) {
        let events = descriptor.events
        telling.async { _ = self.newMentions(in: []) }
        state.withLock { state in
            if hasToken || canAskSource { state.wait.asks() }
            state.events = Task {
                for await event in events {
                    await withCheckedContinuation { continuation in
                        telling.async {
                            self.heard(event)
                            continuation.resume()
                        }
                    }
                }
            }
        }
        if descriptor.pdfPath != nil { openPDF() }
    }

    /// - Parameter token: nil to ask the source, if there is one.
    func connect(token: String?) {
        state.withLock { $0.sourceToken = source == .prompt ? nil : token }
        if let token { supply(token) }
        descriptor.startListeningForServerChanges()
        if token == nil { askSource(refused: nil) }
        // Those under another spelling of the address move here by themselves.
        let copies = descriptor.otherCopies().filter { !$0.isSameAddress }
        if !copies.isEmpty { tell(copies) }
    }

    func close() {
        descriptor.stopAnnouncing()
        descriptor.stopListeningForServerChanges()
        let pages = state.withLock { state in
            state.events?.cancel()
            state.token = nil
            return state.pages
        }
        pages?.close()
        keeping.finish()
    }

    // MARK: Copies under other addresses

    func tellOtherCopies() { tell(descriptor.otherCopies()) }

    private func tell(_ copies: [OtherCopy]) {
        post(.otherCopies(copies.map { OutboxCopy(server: $0.server, unsent: $0.unsent) }))
    }

    func takeCopy(_ server: String) {
        do throws(InstantError) {
            var count = 0
            for copy in descriptor.otherCopies() where copy.server.isExactly(server) {
                count += try descriptor.takeEdits(from: copy)
            }
            post(.notice(count == 1 ? "1 edit moved here" : "\(count) edits moved here"))
        } catch { post(.notice("Nothing moved: \(error)")) }
        tellOtherCopies()
    }

    // MARK: Tokens

    func supply(_ token: String) {
        let wantsPDF = state.withLock { state in
            state.token = token
            state.wait.handsOn()
            return state.wantsPDF
        }
        if wantsPDF, descriptor.pdfPath == nil { download(token) } else { descriptor.reauthenticate(withJWT: token) }
    }

    /// Forgets the token, including one stored by an earlier run, whether this run stores tokens or not.
    func forgetToken() {
        state.withLock { state in
            state.token = nil
            state.kept = nil
        }
        descriptor.forgetToken()
        keeping.yield { [keeper, descriptor] in await keeper.forget(descriptor.identity) }
    }

    /// Stores a token that the server accepted, unless it has since been forgotten or replaced.
    private func keep(_ token: String) {
        let isNew = state.withLock { state in
            guard state.token == token, state.kept != token else { return false }
            state.kept = token
            return true
        }
        guard remembers, isNew else { return }
        keeping.yield { [keeper, descriptor, post] in
            do { try await keeper.keep(token, of: descriptor.identity) } catch {
                post(.notice("Token not stored: \(error)"))
            }
        }
    }

    /// Removes a token that the server rejected. A lost connection is not a rejection.
    private func dropRefused() {
        guard remembers, let refused = state.withLock(\.token) else { return }
        keeping.yield { [keeper, descriptor] in
            if await keeper.token(of: descriptor.identity) == refused { await keeper.forget(descriptor.identity) }
        }
    }

    /// Asks the server why it refuses the token, for the prompt; once for each token, because the library reports some
    /// refusals twice. An older or unreachable server adds nothing.
    private func explainRefusal() {
        let refused = state.withLock { state -> String? in
            guard let token = state.token, state.explained != token else { return nil }
            state.explained = token
            return token
        }
        guard let refused else { return }
        Task { [client, post] in
            guard let verdict = try? await client.verdict(onJWT: refused), !verdict.isAccepted else { return }
            post(.tokenChecked(verdict))
        }
    }

    /// Whether a token can come from a source other than the prompt.
    var canAskSource: Bool { source != .prompt || remembers }

    /// Asks the source in the background; prompts if it has no new token.
    private func askSource(refused: String?) {
        guard canAskSource else { return }
        state.withLock { $0.wait.asks() }
        Task {
            var problem: String?
            var token: String?
            do {
                token = try await source.token(
                    refused: refused, document: descriptor.identifier, layer: descriptor.layerName)
                if token == nil, refused == nil, remembers {
                    token = await keeper.token(of: descriptor.identity)
                }
            } catch { problem = (error as? CommandFailure)?.message }
            state.withLock { state in
                state.wait.sourceAnswered(withToken: token != nil)
                state.sourceToken = token ?? state.sourceToken
            }
            if let token { return supply(token) }
            if let problem { post(.notice(problem)) }
            tellStatus(anyway: true)
        }
    }

    // MARK: The PDF

    func startDownload() {
        let token = state.withLock { state in
            state.wantsPDF = true
            return state.token
        }
        if let token { download(token) }
    }

    func cancelDownload() {
        state.withLock { $0.wantsPDF = false }
        descriptor.downloadProgress?.cancel()
        post(.downloadFailed(nil))
    }

    private func download(_ token: String) {
        do throws(InstantError) {
            try descriptor.download(usingJWT: token)
        } catch {
            if error.kind == .alreadyDownloaded { openPDF() } else { post(.downloadFailed(error.words)) }
            // Without the PDF the annotations can still be read.
            descriptor.reauthenticate(withJWT: token)
        }
    }

    private func openPDF() {
        guard let file = descriptor.pdfPath else { return }
        let hash = String(file.split(scalar: "/").last?.prefix(whileScalar: { $0 != "." }) ?? "")
        let runs = (try? descriptor.layer.metadata().pageRuns) ?? []
        let reader = PageReader(
            file: file, tools: tools, known: pdfs.info(of: hash), texts: PageTextCache(besides: file, tools: tools),
            trueSizes: { runs.run(ofPage: $0).map { PDFPages.PageSize(width: $0.width, height: $0.height) } }
        ) { [pdfs] in pdfs.keep($0, of: hash) }
        state.withLock { $0.pages = reader }
        if let known = reader.known { return post(.pdfReady(known)) }
        Task {
            do {
                post(.pdfReady(try await reader.info()))
            } catch { post(.downloadFailed("\(error)")) }
        }
    }

    /// Opens another PDF if the layer now has one: that for what a new token may see.
    private func usePDF() {
        let (file, used) = (descriptor.pdfPath, pages?.file)
        guard file != used else { return }
        if file == nil { startDownload() } else { openPDF() }
    }

    /// nil until the PDF is available.
    var pages: PageReader? { state.withLock(\.pages) }

    private func post(upload: UploadProgress?) {
        let rate = state.withLock { state -> Double? in
            guard let upload else {
                state.uploadMeter = RateMeter()
                return nil
            }
            return state.uploadMeter.add(upload.sent, at: .now)
        }
        post(
            .upload(
                upload.map {
                    UploadStatus(
                        file: $0.file, transfer: TransferStatus(done: $0.sent, total: $0.total, bytesPerSecond: rate))
                }))
    }

    // MARK: Events from the library

    private func heard(_ event: InstantEvent) {
        switch event {
        case .didMakeProgress(let progress):
            let rate = state.withLock { $0.meter.add(progress.received, at: .now) }
            post(
                .download(
                    TransferStatus(done: progress.received, total: progress.total, bytesPerSecond: rate)))
            return
        case .didMakeUploadProgress(let progress):
            post(upload: progress)
            return
        case .didFinishDownload: if descriptor.pdfPath != nil { openPDF() }
        case .didFailDownload(let error): post(.downloadFailed(error.words))
        // The source was asked when the layer was opened.
        case .didFailAuthentication(.noneYet) where state.withLock(\.wait.isAsking): break
        case .didFailAuthentication(let need):
            let refused = state.withLock { state in
                state.wait.wasRefused()
                return state.sourceToken ?? state.token
            }
            if need.isRefusal {
                dropRefused()
                // Otherwise the next token arrives without the user.
                if !source.canBeAskedAgain { explainRefusal() }
            }
            if source.canBeAskedAgain, need != .forgotten { askSource(refused: refused) }
        case .didFailReauthentication(let error):
            if error.kind == .authenticationFailed {
                dropRefused()
                explainRefusal()
            }
            let isAsking = state.withLock { state in
                state.wait.wasRefused(here: [.invalidJWT, .userIDMismatch].contains(error.kind))
                return state.wait.isAsking
            }
            if !isAsking { post(.tokenRefused(error.words)) }
        case .didFailSync(let error):
            let wasTold = state.withLock { state in
                defer { state.syncFailure = error.message }
                return state.syncFailure == error.message
            }
            if error.kind != .requestFailed, !isAboutToken(error), !wasTold { post(.notice(error.message)) }
        case .didFinishSync: state.withLock { $0.syncFailure = nil }
        case .didChangeRecords(let ids, let others):
            post(
                .recordsChanged(
                    Array(ids), author: author(of: others), byOthers: Array(others), mentions: newMentions(in: others)))
        case .didMissEvents:
            usePDF()
            post(.recordsChanged([], author: nil))
            post(upload: descriptor.uploadProgress)
            post(.presence(descriptor.presence))
        case .willExpireToken(let end): post(.tokenExpires(Timestamp(end)))
        case .didChangePresence:
            // Participants that disappear with the connection have not left, so post the connection's state first.
            readStatus()
            post(.presence(descriptor.presence))
            return
        case .didChangePDF: startDownload()
        case .didReplacePDF:
            post(.notice("The PDF was replaced on the server; downloading it again"))
            startDownload()
        case .didFinishReauthentication(let token):
            state.withLock { $0.wait.wasAccepted() }
            keep(token.jwt)
            post(.tokenAccepted)
        // The status line counts them.
        case .didRejectEdits: break
        case .didBeginSync, .didChangeSyncState, .didChangeConnection, .didCheckIntegrity,
            .didLoseAccess, .didCancelDownload, .didClose:
            break
        }
        readStatus()
    }

    /// Returns the comments among these that name the user and did not when they were last looked at.
    ///
    /// Runs on the queue.
    private func newMentions(in others: Set<Record.ID>) -> [Record.ID] {
        guard let found = try? descriptor.layer.mentions() else { return [] }
        let now = Set(found.map { ByteOrdered($0.id) })
        let known = state.withLock { state in
            defer { state.mentions = now }
            return state.mentions ?? []
        }
        guard !others.isEmpty else { return [] }
        return now.subtracting(known).map(\.text).filter(others.contains).sorted()
    }

    private func isAboutToken(_ error: InstantError) -> Bool {
        [.authenticationFailed, .accessDenied, .invalidJWT].contains(error.kind)
    }

    /// Announces the user's own activity; it is sent as soon as a connection exists.
    func announce(_ own: OwnPresence) {
        do throws(InstantError) { try descriptor.announce(own) } catch { post(.notice(error.message)) }
    }

    func tellStatus(anyway: Bool = false) { telling.async { self.readStatus(anyway: anyway) } }

    /// Runs on the queue.
    private func readStatus(anyway: Bool = false) {
        var status = descriptor.status
        let isNew = state.withLock { state in
            status.connection = state.wait.shown(status.connection)
            defer { state.lastStatus = status }
            return state.lastStatus != status
        }
        if isNew || anyway { post(.status(status)) }
        guard let title = descriptor.title, state.withLock({ $0.title != title }) else { return }
        state.withLock { $0.title = title }
        post(.titled(title))
    }

    /// Returns the name of the only other person who changed these records; nil for several or none.
    private func author(of ids: Set<Record.ID>) -> String? {
        guard !ids.isEmpty, ids.count <= 20 else { return nil }
        var names: Set<ByteOrdered> = []
        for id in ids {
            guard let record = try? descriptor.layer.record(id) else { return nil }
            guard let name = record.updatedBy ?? Annotation(record).author else { return nil }
            names.insert(ByteOrdered(name))
        }
        return names.count == 1 ? names.first?.text : nil
    }
}

extension TokenNeed {
    /// Whether the server rejected a token, as opposed to a missing one.
    fileprivate var isRefusal: Bool {
        switch self {
        case .expired, .revoked, .refused: true
        case .noneYet, .forgotten: false
        }
    }
}
