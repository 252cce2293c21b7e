import Annotations
import App
import FoundationEssentials
import Instant
import InstantCore
import PDFPages
import Screen
import Terminal

/// The world as the program sees it: performs its effects with the library, the PDF tools and the terminal.
///
/// Used on the loop's thread only; answers from elsewhere go through `post`.
final class ViewerServices: AppServices {
    let options: ViewerOptions
    private let device: any ViewerTerminal
    /// nil: there is no screen to show them on.
    private let pictures: PagePictures?
    let post: @Sendable (Message) -> Void
    private let tools = PDFTools(limits: Limits(time: .seconds(20)))
    private var clients: [String: InstantClient] = [:]
    private var tabs: [LayerReference: OpenTab] = [:]
    /// The one that effects are about.
    private var selected: LayerReference?
    /// What would take time from the first picture, the network and the PDF tools; nil once it is there.
    private var afterwards: [() -> Void]? = []
    /// Its server ends with it.
    private var demo: Task<Void, Never>?

    init(
        options: ViewerOptions, device: any ViewerTerminal, pictures: PagePictures? = nil,
        post: @escaping @Sendable (Message) -> Void
    ) {
        self.options = options
        self.device = device
        self.pictures = pictures
        self.post = post
    }

    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void) {
        switch effect {
        case .loadLibrary: loadLibrary()
        case .openLayer(let reference): open(reference)
        case .join(let server, let token): join(server, token.secret)
        case .startDemo: startDemo()
        case .openFile(let path): open(file: path)
        case .select(let reference): selected = reference
        case .closeLayer: if let selected { close(selected) }
        case .removeLayer(let reference): remove(reference)
        case .pruneStorage: pruneStorage()

        case .startDownload: layer?.startDownload()
        case .cancelDownload: layer?.cancelDownload()
        case .loadPage(let index): if let tab { afterFirstPicture { tab.loadPage(index) } }
        case .loadNavigation: if let tab { afterFirstPicture { tab.pages?.tellNavigation(tab.post) } }
        case .indexDocument: if let tab { tab.pages?.tellTexts(tab.post) }
        case .stopIndexing: tab?.pages?.stopTexts()
        case .quoteDocument: quoteDocument()

        case .loadRows(let request): reading { .rows(try $0.window(of: request)) }
        case .findUnread(let request): reading { .rows(try $0.windowAroundUnread(of: request)) }
        case .loadPageRows(let index): reading { .pageRows(index, try $0.rows(onPage: index)) }
        case .loadRecord(let id): reads?.readSmall { .record(id, try $0.record(id)) }
        case .loadThread(let id): reads?.readSmall { .thread(id, try $0.thread(under: id)) }
        case .gather(let wanted): reading { .gathered(try $0.gathered(wanted)) }
        case .loadFacets: reading { .facets(try $0.facets()) }
        case .loadOutbox: reading { .outbox(try $0.outboxItems()) }
        case .markRead(let ids):
            reads?.note {
                try $0.markRead(ids)
                return .recordsChanged(ids, author: nil)
            }

        case .perform(let step): perform(step)
        case .undo(let step): undo(step)
        case .resolve(let id, let resolution): resolve(id, resolution)
        case .setDefaultGroup(let choice): setDefaultGroup(choice)
        case .rememberAuthor(let name): clients.values.first?.rememberedAuthor = name
        case .saveUnsent(let reference): saveUnsent(of: reference)
        case .saveDraft(let key, let text):
            do { try tab?.drafts?.keep(text, for: key) } catch { tell(error) }

        case .loadHistory: post(.history(history.lines()))
        case .remember(let line): remember(line)

        case .supplyToken(let token): layer?.supply(token.secret)
        case .readTokenFile(let path): readToken(path)
        case .forgetToken: layer?.forgetToken()
        case .syncNow:
            layer?.descriptor.retryNow()
            layer?.descriptor.sync()
        case .loadRequests: tab?.post(.requests(layer?.descriptor.recentRequests ?? []))
        case .announce(let own): layer?.announce(own)
        case .setOnline(let isOnline): layer?.descriptor.setOnline(isOnline)

        case .editExternally(let text): editExternally(text)
        case .copy(let text, let isAddress): copy(text, named: isAddress ? text : "\(text.count) characters")
        case .paintPage(let page, let area): paint(page, in: area)
        case .showPicture: pictures?.show()
        case .hidePicture: pictures?.hide()
        case .redraw: device.redraw()
        case .suspend: device.suspend()
        case .quit: close()
        }
    }

    // MARK: The first picture

    private func afterFirstPicture(_ body: @escaping () -> Void) {
        guard afterwards != nil else { return body() }
        afterwards?.append(body)
    }

    /// The person sees something: now there is time for the rest.
    func pictureWasDrawn() {
        guard let waiting = afterwards else { return }
        afterwards = nil
        for body in waiting { body() }
    }

    /// The selected one of the open layers.
    var tab: OpenTab? { selected.flatMap { tabs[$0] } }

    var layer: OpenLayer? { tab?.layer }

    /// All that is open.
    func close() {
        for reference in Array(tabs.keys) { close(reference) }
        demo?.cancel()
    }

    private func close(_ reference: LayerReference) { tabs.removeValue(forKey: reference)?.close() }

    /// A sentence for the person.
    func tell(_ error: any Error) { post(.notice((error as? CommandFailure)?.message ?? "\(error)")) }

    /// A read of the local storage.
    private func reading(_ body: @escaping @Sendable (Layer) throws -> Message) { reads?.read(body) }

    private func quoteDocument() {
        guard let reads, let pages = tab?.pages else {
            tab?.post(.quoted(isAll: true))
            return
        }
        afterFirstPicture { pages.tellQuotes(reads) }
    }

    private var reads: LayerReads? {
        do { return try tab?.reads() } catch {
            tell(error)
            return nil
        }
    }

    // MARK: Layers

    private func loadLibrary() {
        do throws(InstantError) {
            let entries = try InstantClient.listCacheEntries(in: URL(filePath: options.folders.data))
            post(.library(entries.map(LibraryEntry.init)))
        } catch {
            post(.library([]))
            tell(error)
        }
    }

    private func client(_ server: String) throws -> InstantClient {
        if let client = clients[server] { return client }
        guard let url = URL(string: try ServerOptions.checked(server)) else {
            throw CommandFailure("\(server) is not the address of a server", .usage)
        }
        let client = try InstantClient(
            serverURL: url, dataDirectory: URL(filePath: options.folders.data),
            allowsInsecureHTTP: options.allowsInsecureHTTP)
        clients[server] = client
        return client
    }

    private func open(_ reference: LayerReference) {
        do {
            let client = try client(reference.server)
            open(client.descriptor(reference.identity), of: client, token: nil)
        } catch { post(.openFailed((error as? CommandFailure)?.message ?? "\(error)")) }
    }

    private func join(_ server: String, _ token: String) {
        do {
            let client = try client(server)
            open(try client.documentDescriptor(forJWT: token), of: client, token: token)
        } catch { post(.openFailed((error as? CommandFailure)?.message ?? "\(error)")) }
    }

    private func open(_ descriptor: InstantDocumentDescriptor, of client: InstantClient, token: String?) {
        let reference = LayerReference(descriptor.identity)
        if let layer = tabs[reference]?.layer {
            // It is open, perhaps under another spelling of the server's address: the token is for that one.
            post(.opened(opened(layer, drafts: [:])))
            if let token { layer.supply(token) }
            return
        }
        descriptor.delayForSyncingLocalChanges = options.preferences.delay
        let layer = OpenLayer(
            descriptor, of: client, source: options.source, keeper: TokenKeeper(options.folders),
            remembers: options.remembersToken, tools: tools,
            pdfs: KnownPDFs(folder: options.folders.cache + "/pdf"), post: reference.addressing(post))
        let drafts = DraftStore(path: draftsFile(descriptor.identity))
        tabs[reference] = OpenTab(layer, drafts: drafts, post: reference.addressing(post))
        var opened = opened(layer, drafts: drafts.drafts)
        // A token is at hand or its source is about to be asked: nobody is bothered yet.
        if opened.status.connection != .elsewhere, token != nil || layer.canAskSource {
            opened.status.connection = .connecting
        }
        post(.opened(opened))
        layer.start(hasToken: token != nil)
        afterFirstPicture { layer.connect(token: token) }
    }

    private func opened(_ layer: OpenLayer, drafts: [DraftKey: String]) -> OpenedLayer {
        let descriptor = layer.descriptor
        return OpenedLayer(
            reference: LayerReference(descriptor.identity), title: descriptor.title, status: descriptor.status,
            hasPDF: descriptor.pdfFile != nil, author: options.author ?? layer.client.rememberedAuthor,
            groupChoice: try? descriptor.layer.facts().groupOverride, drafts: drafts, isReadOnly: options.isReadOnly)
    }

    private func open(file path: String) {
        let path = atHome(path)
        let reference = LayerReference(server: "", documentID: path)
        close(reference)
        let file = OpenFile(path, tools: tools, post: reference.addressing(post))
        tabs[reference] = OpenTab(file, post: reference.addressing(post))
        file.start()
    }

    private func startDemo() {
        demo?.cancel()
        let (folders, post) = (options.folders, post)
        demo = Task {
            do {
                try await Demo.run(folders) { demo in
                    post(.demoReady(server: demo.server, TokenText(try PrivateFile.read(demo.folder.token(.reviewer)))))
                    // Until the viewer is left.
                    while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
                }
            } catch is CancellationError {
                return
            } catch { post(.openFailed((error as? CommandFailure)?.message ?? "\(error)")) }
        }
    }

    private func remove(_ reference: LayerReference) {
        close(reference)
        do {
            let descriptor = try client(reference.server).descriptor(reference.identity)
            // The card has named the unsent edits, and the person said yes.
            try descriptor.removeLocalStorage(discardingUnsent: true)
        } catch { tell(error) }
        loadLibrary()
    }

    private func pruneStorage() {
        do throws(InstantError) {
            let freed = try InstantClient.removeUnreferencedCacheEntries(in: URL(filePath: options.folders.data))
            let said = freed.map { $0 > 0 ? "\($0 / 1000) kB are free now" : "every PDF here belongs to a layer" }
            post(.notice(said ?? "nothing was removed: a layer cannot be read and may need any of them"))
        } catch { tell(error) }
        loadLibrary()
    }

    // MARK: Files

    private func draftsFile(_ identity: LayerIdentity) -> String {
        let folder = options.folders.state + "/drafts"
        try? Folders.make(folder)
        return "\(folder)/\(identity.fileName).json"
    }

    private var history: CommandHistoryFile { CommandHistoryFile(path: options.folders.state + "/history") }

    private func remember(_ line: String) {
        do {
            try Folders.make(options.folders.state)
            try history.add(line)
        } catch { tell(error) }
    }

    /// A path that begins at the person's home, as a shell understands it.
    private func atHome(_ path: String) -> String {
        path.hasPrefix("~/") ? (ProcessInfo.processInfo.environment["HOME"] ?? "") + path.dropFirst() : path
    }

    private func readToken(_ path: String) {
        let path = atHome(path)
        do {
            let text = try PrivateFile.read(path).trimmed
            post(text.isEmpty ? .tokenRefused("\(path) is empty") : .tokenRead(TokenText(text)))
        } catch { post(.tokenRefused((error as? CommandFailure)?.message ?? "\(error)")) }
    }

    private func saveUnsent(of reference: LayerReference) {
        do {
            let open = tabs[reference]?.layer?.descriptor
            let descriptor = try open ?? client(reference.server).descriptor(reference.identity)
            let items = try descriptor.layer.outboxItems().filter { $0.mine != nil }
            let records: [JSON] = items.compactMap { item in
                item.mine.map { ["id": .string(item.id), "content": .object($0.object)] }
            }
            try Folders.make(options.folders.state)
            let path = "\(options.folders.state)/unsent-\(Timestamp.now.milliseconds).json"
            try PrivateFile.write(JSON.array(records).text + "\n", to: path)
            post(.notice("\(items.count) unsent saved in \(path)"))
        } catch { tell(error) }
    }

    /// Inside tmux through its buffer, which hands it on to the terminal outside: tmux itself listens to no such request.
    ///
    /// - Parameter name: what the person is told was copied.
    private func copy(_ text: String, named name: String) {
        guard ProcessInfo.processInfo.environment["TMUX"] != nil else {
            let isSent = device.copy(text)
            return post(
                .notice(
                    isSent
                        ? "sent \(name) to the terminal; cannot confirm"
                        : "\(name) are more than terminals take: nothing was copied"))
        }
        let post = post
        Task {
            do {
                try await TmuxBuffer.load(text)
                post(.notice("sent \(name) to the terminal; cannot confirm"))
            } catch {
                post(.notice("tmux did not take the text: \((error as? CommandFailure)?.message ?? "\(error)")"))
            }
        }
    }

    private func paint(_ page: Int, in area: Area) {
        guard let tab else { return }
        guard let pictures, let pages = tab.pages else { return tab.post(.pictureFailed("the PDF is not here yet")) }
        pictures.paint(PagePictures.Request(pages: pages, page: page, area: area, post: tab.post))
    }

    private func editExternally(_ text: String) {
        guard let editor = ExternalEditor(options.preferences) else {
            post(.notice("set VISUAL or EDITOR to the editor you like"))
            return post(.externallyEdited(nil))
        }
        do {
            try Folders.make(options.folders.state)
            let folder = options.folders.state
            post(.externallyEdited(try device.released { () throws -> String? in try editor.edit(text, in: folder) }))
        } catch {
            tell(error)
            post(.externallyEdited(nil))
        }
    }
}

extension LibraryEntry {
    init(_ entry: InstantCacheEntry) {
        self.init(
            id: LayerReference(entry.identity),
            title: entry.title.isEmpty ? nil : entry.title, state: entry.state.rawValue,
            isDownloaded: entry.isDownloaded, bytes: entry.layerBytes + entry.pdfBytes, lastSync: entry.lastSync,
            unread: entry.unread, unsent: entry.unsent, problem: entry.problem)
    }
}
