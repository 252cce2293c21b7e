import Annotations
import App
import Dispatch
import FoundationEssentials
import Instant
import InstantCore
import PDFPages
import Screen
import Synchronization

/// The open layers and files, and the library of local ones. Opening, listing and removing use the disk, in request
/// order, off the drawing thread.
final class OpenLayers: Sendable {
    private let options: ViewerOptions
    private let tools: PDFTools
    private let firstPicture: FirstFrame
    /// The serial queue for small files: drafts, the command history and tokens.
    let files = DispatchQueue(label: "postilla.files")
    private let post: @Sendable (Message) -> Void
    private let disk = DispatchQueue(label: "postilla.library")
    private let state = Mutex(State())
    /// The duration of one frame.
    private static let timeout = DispatchTimeInterval.milliseconds(16)

    private struct State {
        var clients: [String: InstantClient] = [:]
        var tabs: [LayerReference: OpenTab] = [:]
        /// Why layers were not removed.
        var failedRemovals: [String] = []
        /// Files that are being closed.
        var closing: [OwnFileTab] = []
        /// The layers that were open when the program ended.
        var leaving: [InstantDocumentDescriptor] = []
        /// The drafts of all layers that were opened.
        var drafts: [DraftStore] = []
    }

    init(
        _ options: ViewerOptions, tools: PDFTools, firstPicture: FirstFrame,
        post: @escaping @Sendable (Message) -> Void
    ) {
        (self.options, self.tools, self.firstPicture, self.post) = (options, tools, firstPicture, post)
    }

    /// The clients of the open layers.
    var clients: [InstantClient] { state.withLock { Array($0.clients.values) } }

    subscript(reference: LayerReference) -> OpenTab? { state.withLock { $0.tabs[reference] } }

    /// Closes all tabs.
    func close() {
        let tabs = state.withLock { state in
            defer { state.tabs = [:] }
            state.closing += state.tabs.values.compactMap(\.own)
            state.leaving = state.tabs.values.compactMap(\.layerOnServer)
            return state.tabs.values
        }
        for tab in tabs { tab.close() }
    }

    /// Waits until the engine knows which files are closed, and has all their edits, and the servers know that the person has
    /// left.
    func closed() async {
        let (files, layers) = state.withLock { ($0.closing, $0.leaving) }
        await withTaskGroup { group in
            for layer in layers { group.addTask { await layer.sayFarewell() } }
        }
        for file in files { await file.closed() }
    }

    /// Waits for all pending library operations. Must not run on the drawing thread while a screen is in use.
    ///
    /// - Returns: Why layers were not removed. The program may have ended with its last layer before that was known.
    func settle() -> [String] {
        disk.sync {}
        return state.withLock(\.failedRemovals)
    }

    /// Which drafts are lost when the program ends, as sentences.
    var draftProblems: [String] { state.withLock(\.drafts).compactMap(\.problem).map { "Draft not kept: \($0)" } }

    private func draftStore(_ identity: LayerIdentity) -> DraftStore {
        let drafts = DraftStore(path: draftsFile(identity), queue: files)
        state.withLock { $0.drafts.append(drafts) }
        return drafts
    }

    func close(_ reference: LayerReference) {
        let tab = state.withLock { state in
            let tab = state.tabs.removeValue(forKey: reference)
            if let own = tab?.own { state.closing.append(own) }
            return tab
        }
        tab?.close()
    }

    /// Waits up to ``timeout`` so that a fast result is in the next frame (decision 21).
    private func perform(_ body: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        disk.async {
            body()
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + Self.timeout)
    }

    private func tell(_ error: any Error) { post(.notice("\(error)")) }

    // MARK: Opening

    func open(_ reference: LayerReference) {
        guard !options.isPrivate else { return post(.openFailed(PrivateSession.onlyFiles)) }
        perform { [self] in
            do {
                let client = try client(reference.server)
                open(client.descriptor(reference.identity), of: client, token: nil)
            } catch { post(.openFailed("\(error)")) }
        }
    }

    /// Opens the layer that a token names.
    func join(_ server: String, _ token: String) {
        guard !options.isPrivate else { return post(.openFailed(PrivateSession.onlyFiles)) }
        perform { [self] in
            do {
                let client = try client(server)
                open(try client.documentDescriptor(forJWT: token), of: client, token: token)
            } catch { post(.openFailed("\(error)")) }
        }
    }

    func open(file path: String) {
        let reference = LayerReference(server: "", documentID: path)
        close(reference)
        do {
            let post = reference.addressing(post)
            let reason = options.isReadOnly ? "opened with --read-only" : nil
            let drafts =
                options.isReadOnly || options.isPrivate
                ? nil : draftStore(reference.identity)
            let own = OwnFileTab(path, options, post: post)
            let file = try LocalPDF(
                path, tools: tools, readOnly: reason, drafts: drafts?.drafts ?? [:],
                author: options.author ?? OwnFileSession.author,
                reading: { [weak self] in await self?.readingOffThread(reference.identity) },
                shown: { own.pageIsShown() }, turn: { if reason == nil { await own.engineHasTime() } },
                post: post)
            let tab = OpenTab(file, drafts: drafts, post: post)
            own.comparePages { [weak tab] in tab?.comparePages($0, isTold: $1) }
            state.withLock { $0.tabs[reference] = tab }
            file.start()
            if let notice = drafts?.notice { post(.notice(notice)) }
            if reason == nil { edit(own, in: reference, post) }
        } catch { post(.openFailed("\(error)")) }
    }

    /// Makes a tab editable once the engine has its file.
    private func edit(_ own: OwnFileTab, in reference: LayerReference, _ post: @escaping @Sendable (Message) -> Void) {
        own.start { [weak self] own, link, client, descriptor, token in
            guard let self, let tab = self[reference] else { return false }
            let layer = OpenLayer(
                descriptor, of: client, source: .engine(link, first: token), keeper: TokenKeeper(options.folders),
                remembers: false, tools: tools, pdfs: KnownPDFs(folder: options.folders.cache + "/pdf"), post: post)
            // What can be undone belongs to the engine's document, and goes with it.
            let place = link.engine.place
            try? Folders.make(place.undo)
            let undo = UndoStore(path: UndoStore.path(of: descriptor.identity, in: place.undo), queue: files)
            tab.drafts?.forgetSaved { id in
                descriptor.copies(of: id).map { Annotation($0).text }
            }
            let edits = LayerEdits(layer, author: options.author ?? OwnFileSession.author, undo: undo, post: post)
            guard tab.adopt(layer, of: own, edits: edits) else { return false }
            if !undo.earlier.isEmpty { post(.undoable(undo.earlier.map(\.step))) }
            state.withLock { $0.clients[link.document] = client }
            layer.start(hasToken: true)
            layer.connect(token: token)
            return true
        }
    }

    private func client(_ server: String) throws -> InstantClient {
        if let client = state.withLock({ $0.clients[server] }) { return client }
        guard let url = URL(string: try ServerOptions.checked(server)) else {
            throw CommandFailure("\(server) is not a server address", .usage)
        }
        let client = try InstantClient(
            serverURL: url, dataDirectory: URL(filePath: options.folders.data),
            allowsInsecureHTTP: options.allowsInsecureHTTP, environment: .program(options.log))
        state.withLock { $0.clients[server] = client }
        return client
    }

    private func open(_ descriptor: InstantDocumentDescriptor, of client: InstantClient, token: String?) {
        let reference = LayerReference(descriptor.identity)
        if let tab = self[reference], let layer = tab.layer {
            // The layer is open, perhaps under another spelling of the server's address: pass the token to that layer.
            post(.opened(opened(layer, drafts: [:])))
            if let token { tab.call { $0.supply(token) } }
            return
        }
        descriptor.delayForSyncingLocalChanges = options.preferences.delay
        let layer = OpenLayer(
            descriptor, of: client, source: options.source, keeper: TokenKeeper(options.folders),
            remembers: options.remembersToken, tools: tools,
            pdfs: KnownPDFs(folder: options.folders.cache + "/pdf"), post: reference.addressing(post))
        let drafts = draftStore(descriptor.identity)
        drafts.forgetSaved { id in
            descriptor.copies(of: id).map { Annotation($0).text }
        }
        try? Folders.make(options.folders.state + "/undo")
        let undo = UndoStore(path: UndoStore.path(of: descriptor.identity, in: options.folders), queue: files)
        let tab = OpenTab(layer, drafts: drafts, undo: undo, author: options.author, post: reference.addressing(post))
        state.withLock { $0.tabs[reference] = tab }
        var opened = opened(layer, drafts: drafts.drafts)
        opened.undoable = undo.earlier.map(\.step)
        // A token is available or its source is about to be asked: do not prompt yet.
        if opened.status.connection != .elsewhere, token != nil || layer.canAskSource {
            opened.status.connection = .connecting
        }
        post(.opened(opened))
        if let notice = drafts.notice { post(.at(reference, .notice(notice))) }
        layer.start(hasToken: token != nil)
        firstPicture.then { tab.call { $0.connect(token: token) } }
    }

    private func opened(_ layer: OpenLayer, drafts: [DraftKey: String]) -> OpenedLayer {
        let descriptor = layer.descriptor
        return OpenedLayer(
            reference: LayerReference(descriptor.identity), title: descriptor.title, status: descriptor.status,
            hasPDF: descriptor.pdfPath != nil, author: options.author ?? layer.client.rememberedAuthor,
            groupChoice: try? descriptor.layer.metadata().groupOverride, drafts: drafts, isReadOnly: options.isReadOnly,
            reading: reading(descriptor.identity))
    }

    // MARK: Where the person was

    private func readingFile(_ identity: LayerIdentity) -> ReadingPlaceFile {
        ReadingPlaceFile(folder: options.folders.state + "/places", name: identity.fileName)
    }

    private func reading(_ identity: LayerIdentity) -> ReadingPlace? { readingFile(identity).place }

    private func readingOffThread(_ identity: LayerIdentity) async -> ReadingPlace? {
        await withCheckedContinuation { continuation in
            files.async { [self] in continuation.resume(returning: reading(identity)) }
        }
    }

    func keep(_ place: ReadingPlace, in reference: LayerReference) {
        // A place that cannot be stored is not worth a message.
        files.async { [file = readingFile(reference.identity)] in try? file.keep(place) }
    }

    private func draftsFile(_ identity: LayerIdentity) -> String {
        let folder = options.folders.state + "/drafts"
        try? Folders.make(folder)
        return "\(folder)/\(identity.fileName).json"
    }

    // MARK: The library

    func list() {
        perform { [self] in
            tellLibrary()
            let files = OwnFileList(options.folders)
            post(.libraryFiles(files.list()))
            if let problem = OwnFileDamage.failure(files.damaged) { post(.notice(problem)) }
        }
    }

    private func tellLibrary() {
        do throws(InstantError) {
            let entries = try InstantClient.listCacheEntries(in: URL(filePath: options.folders.data))
            post(.library(entries.map(LibraryEntry.init)))
        } catch {
            post(.library([]))
            tell(error)
        }
    }

    /// - Parameter unsent: The number of unsent edits whose loss the user has confirmed.
    func remove(_ reference: LayerReference, unsent: Int) {
        // The client of an open layer may have another spelling of the server's address.
        let open = self[reference]?.layer?.descriptor
        close(reference)
        disk.async { [self] in
            do {
                let agree: (LayerLosses) throws(InstantError) -> Void = { losses throws(InstantError) in
                    guard losses.edits.count <= unsent, losses.damage.isEmpty else {
                        throw InstantError(
                            .unsentEdits, "the layer stays: it has unsent edits besides those of this view",
                            recoverySuggestion: "See postilla outbox, and postilla storage remove --help.")
                    }
                }
                if open == nil, let entry = try entryOfOtherSpelling(reference) {
                    let losses = try InstantClient.losses(of: entry)
                    try agree(losses)
                    try InstantClient.remove(entry, in: URL(filePath: options.folders.data), losing: losses)
                } else {
                    let descriptor = try open ?? client(reference.server).descriptor(reference.identity)
                    try descriptor.removeLocalStorage(agree: agree)
                }
                files.async { [folders = options.folders] in UndoStore.removeAll(of: reference.identity, in: folders) }
            } catch {
                state.withLock { $0.failedRemovals.append("\(reference.documentID) was not removed: \(error)") }
                tell(error)
            }
            tellLibrary()
        }
    }

    /// Returns the stored layer if it is kept under another spelling than that under which it would be opened.
    private func entryOfOtherSpelling(_ reference: LayerReference) throws -> InstantCacheEntry? {
        guard !ServerAddress.oneForm(of: reference.server).isExactly(reference.server) else { return nil }
        return try InstantClient.listCacheEntries(in: URL(filePath: options.folders.data))
            .first { $0.identity == reference.identity }
    }

    func prune() {
        disk.async { [self] in
            do throws(InstantError) {
                let freed = try InstantClient.removeUnreferencedCacheEntries(in: URL(filePath: options.folders.data))
                post(.notice(freed > 0 ? "\(freed / 1000) kB freed" : "Nothing removed: every PDF is needed"))
            } catch { tell(error) }
            tellLibrary()
        }
    }

    /// Writes a layer's unsent edits, of all its local stores, to a file, whether it is open or not.
    func saveUnsent(of reference: LayerReference) {
        disk.async { [self] in
            do {
                let open = self[reference]?.layer?.descriptor
                let unsent =
                    if open == nil, let entry = try entryOfOtherSpelling(reference) {
                        try InstantClient.losses(of: entry)
                    } else { try (open ?? client(reference.server).descriptor(reference.identity)).losses() }
                let records: [JSON] = unsent.edits.compactMap { edit in
                    edit.content.map { ["id": .string(edit.recordID), "content": .object($0.object)] }
                }
                try Folders.make(options.folders.state)
                let path = "\(options.folders.state)/unsent-\(Timestamp.now.milliseconds).json"
                try PrivateFile.write(PrintableText(json: JSON.array(records).text).string + "\n", to: path)
                post(.unsentSaved(reference, count: records.count, path: path))
                if !unsent.damage.isEmpty {
                    post(.notice("Edits that cannot be read were not saved: \(unsent.damage.joined(separator: "; "))"))
                }
            } catch { tell(error) }
        }
    }
}

extension LibraryEntry {
    init(_ entry: InstantCacheEntry) {
        self.init(
            id: LayerReference(entry.identity),
            title: entry.title.isEmpty ? nil : entry.title, state: entry.state.rawValue,
            isDownloaded: entry.isDownloaded, bytes: entry.layerBytes + entry.pdfBytes,
            lastSync: entry.lastSync.map { Timestamp($0) },
            unread: entry.unread, unsent: entry.unsent, problem: entry.problem)
    }
}
