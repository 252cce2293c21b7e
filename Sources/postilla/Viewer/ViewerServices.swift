import Annotations
import App
import FoundationEssentials
import Glibc
import Instant
import InstantCore
import PDFPages
import Screen
import Terminal

/// Performs the program's effects with the library, the PDF tools and the terminal.
///
/// Used on the loop's thread only; answers from elsewhere go through `post`. That thread does no disk I/O, except for
/// the user's editor, which has the terminal at that time.
final class ViewerServices: AppServices {
    let options: ViewerOptions
    private let device: any ViewerTerminal
    /// nil without a screen to show them on.
    private let pictures: PagePictures?
    let post: @Sendable (Message) -> Void
    private let firstPicture = FirstFrame()
    let layers: OpenLayers
    let hooks: Hooks
    /// The layer that effects apply to.
    private var selected: LayerReference?
    /// Files of the editor whose texts are not stored elsewhere yet.
    private var editorFiles: [String] = []
    /// The running demo. Cancelling it stops its server.
    private var demo: Task<Void, Never>?

    init(
        options: ViewerOptions, device: any ViewerTerminal, pictures: PagePictures? = nil,
        post: @escaping @Sendable (Message) -> Void
    ) {
        self.options = options
        self.device = device
        self.pictures = pictures
        self.post = post
        hooks = Hooks(options.preferences.hooks) { post(.notice($0)) }
        layers = OpenLayers(
            options, tools: PDFTools(limits: ToolLimits(time: .seconds(20))), firstPicture: firstPicture, post: post)
    }

    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void) {
        switch effect {
        case .loadLibrary: layers.list()
        case .openLayer(let reference): layers.open(reference)
        case .join(let server, let token): layers.join(server, token.secret)
        case .startDemo: startDemo()
        case .openFile(let path): layers.open(file: atHome(path))
        case .select(let reference): selected = reference
        case .closeLayer: if let selected { layers.close(selected) }
        case .removeLayer(let reference, let unsent): layers.remove(reference, unsent: unsent)
        case .pruneStorage: layers.prune()

        case .startDownload: tab?.call { $0.startDownload() }
        case .cancelDownload: tab?.call { $0.cancelDownload() }
        case .loadPage(let index): if let tab { firstPicture.then { tab.loadPage(index) } }
        case .loadNavigation: if let tab { firstPicture.then { tab.pages?.tellNavigation(tab.post) } }
        case .indexDocument(let text): if let tab { tab.pages?.tellTexts(seeking: text, tab.post) }
        case .stopIndexing: tab?.pages?.stopTexts()
        case .quoteDocument, .prepareQuotes: quoteDocument()

        case .writeFile(let write):
            if let tab, let own = tab.own, let layer = tab.layer {
                return own.write(write, tab.edits, layer.descriptor)
            }
            tab?.post(
                .fileRefused(
                    FileRefusal(
                        write, path: write.copy ?? selected?.documentID ?? "",
                        reason:
                            "A layer on a server is not written into a file; postilla export --format pdf does that.")))
        case .revertFile:
            if let tab, let own = tab.own, let layer = tab.layer { return own.revert(tab.edits, layer.descriptor) }
            tab?.post(.fileNotReverted("this layer has no file."))

        case .mergeCopy(let path): tab?.merge(atHome(path), named: path)

        case .loadRows(let request): reading { .rows(try $0.window(of: request)) }
        case .findUnread(let request): reading { .rows(try $0.windowAroundUnread(of: request)) }
        case .findMark(let request): reading { .markFound(request, try $0.mark(of: request)) }
        case .loadPageRows(let index): reading { .pageRows(index, try $0.rows(onPage: index)) }
        case .loadRecord(let id): reading { .record(id, try $0.record(id)) }
        case .loadThread(let id): reading { .thread(id, try $0.thread(under: id)) }
        case .loadBatch(let wanted): reading { .batchLoaded(try $0.batch(wanted)) }
        case .loadFacets: reading { .facets(try $0.facets()) }
        case .loadPeople: reading { .people(try $0.people()) }
        case .loadOutbox:
            let conflicts = tab?.own?.conflictItems ?? []
            reading { .outbox(try conflicts + $0.outboxItems()) }
            if tab?.own == nil { tab?.call { $0.tellOtherCopies() } }
        case .takeCopy(let server): tab?.call { $0.takeCopy(server) }
        case .markAllRead(let query):
            tab?.reads.note {
                try $0.markAllRead(query)
                return .recordsChanged([], author: nil)
            }
        case .markRead(let ids):
            tab?.reads.note {
                try $0.markRead(ids)
                return .recordsChanged(ids, author: nil)
            }

        case .perform(let step):
            guard let edits = tab?.edits else {
                tab?.post(.editFailed(step: step.id, "a local PDF cannot be edited"))
                return
            }
            edits.perform(step)
        case .undo(let step): tab?.edits?.undo(step)
        case .resolve(let id, let resolution, let sides):
            if let tab, let own = tab.own, let layer = tab.layer,
                own.resolve(id, resolution, of: sides, tab.edits, layer.descriptor)
            {
                return
            }
            tab?.edits?.resolve(id, resolution, of: sides)
        case .setDefaultGroup(let choice): tab?.edits?.setDefaultGroup(choice)
        case .rememberAuthor(let name): tab?.edits?.rememberAuthor(name)
        case .saveFile(let id): tab?.saveFile(id)
        case .attach(let path, let page, let corner): tab?.attach(atHome(path), page: page, corner: corner)
        case .saveUnsent(let reference): layers.saveUnsent(of: reference)
        case .saveDraft(let key, let text, let id):
            guard let tab else { return }
            guard let drafts = tab.drafts else { return tab.post(.draftKept(key, .inMemory)) }
            drafts.keep(text, for: key, becoming: id) { [post = tab.post] problem in
                post(.draftKept(key, problem.map(DraftFate.failed) ?? .stored))
                if let notice = drafts.notice { post(.notice(notice)) }
            }
        case .findGoneDrafts(let keys): reading { .goneDrafts(try $0.gone(keys), of: keys) }
        case .saveText(let text): saveText(text)

        case .keepPlace(let place): if let selected, !options.isPrivate { layers.keep(place, in: selected) }

        case .runHook(let event): if let selected { hooks.tell(event, in: selected) }
        case .notifyDesktop(let text):
            if let form = DesktopNotice.Form(rawValue: options.preferences.text(.notify)) {
                device.notify(DesktopNotice(CleanText(cleaning: text), form))
            }

        case .loadHistory: loadHistory()
        case .remember(let line): remember(line)

        case .supplyToken(let token): tab?.call { $0.supply(token.secret) }
        case .readTokenFile(let path): readToken(path)
        case .completePath(let text): completePath(text)
        case .forgetToken: tab?.call { $0.forgetToken() }
        case .syncNow:
            tab?.call {
                $0.descriptor.retryNow()
                $0.descriptor.sync()
            }
        case .loadRequests: tab?.post(.requests(tab?.layer?.descriptor.recentRequests ?? []))
        case .announce(let own): tab?.call { $0.announce(own) }
        case .setOnline(let isOnline): tab?.call { $0.descriptor.setOnline(isOnline) }

        case .editExternally(let text): editExternally(text)
        case .editorTextKept: forgetEditorFile()
        case .copy(let text, let isAddress): copy(LeavingText(text), isAddress: isAddress)
        case .paintPage(let page, let area, let view): paint(page, in: area, view)
        case .showPicture: pictures?.show()
        case .hidePicture: pictures?.hide()
        case .useMouse(let isOn): device.useMouse(isOn)
        case .redraw: device.redraw()
        case .suspend: device.suspend()
        case .quit: close()
        }
    }

    /// Releases the locks of the open layers while the program is stopped.
    func stops(_ isStopping: Bool) {
        for client in layers.clients { isStopping ? client.standAside() : client.standBack() }
    }

    // MARK: The first frame

    func frameWasDrawn() { firstPicture.wasDrawn() }

    /// The selected open layer.
    private var tab: OpenTab? { selected.flatMap { layers[$0] } }

    /// Closes everything.
    func close() {
        layers.close()
        hooks.close()
        demo?.cancel()
    }

    /// Runs after the last frame. On return, removals are complete, and drafts and the command history are on disk.
    ///
    /// - Returns: What the user must still be told.
    func finish() -> [String] {
        close()
        let messages = layers.settle()
        layers.files.sync {}
        return messages + layers.draftProblems
    }

    /// Posts a message for the user.
    func tell(_ error: any Error) { post(.notice("\(error)")) }

    /// Reads the local storage.
    private func reading(_ body: @escaping @Sendable (Layer) throws -> Message) { tab?.reads.read(body) }

    private func quoteDocument() {
        guard let tab, let pages = tab.pages else {
            tab?.post(.quoted(isAll: true))
            return
        }
        firstPicture.then { pages.tellQuotes(tab.reads) }
    }

    private func startDemo() {
        guard !options.isPrivate else { return post(.openFailed(PrivateSession.onlyFiles)) }
        demo?.cancel()
        let (folders, post) = (options.folders, post)
        demo = Task {
            do {
                try await Demo.run(folders) { demo in
                    post(.demoReady(server: demo.server, TokenText(try PrivateFile.read(demo.folder.token(.reviewer)))))
                    // Until the viewer exits.
                    while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
                }
            } catch is CancellationError {
                return
            } catch { post(.openFailed("\(error)")) }
        }
    }

    // MARK: Files

    private var history: CommandHistoryFile { CommandHistoryFile(path: options.folders.state + "/history") }

    private func loadHistory() { layers.files.async { [history, post] in post(.history(history.lines())) } }

    /// Saves a draft to a file of its own.
    private func saveText(_ text: String) {
        layers.files.async { [post, folder = options.folders.state] in
            do {
                try Folders.make(folder)
                let path = "\(folder)/" + SafeFileName.free("draft-\(Timestamp.now.milliseconds).txt", in: folder)
                try PrivateFile.write(LeavingText(text).string + "\n", to: path)
                post(.notice("Draft saved in \(path)"))
            } catch { post(.notice("Draft not saved: \(error)")) }
        }
    }

    private func remember(_ line: String) {
        guard !options.isPrivate else { return }
        layers.files.async { [history, post, folder = options.folders.state] in
            do {
                try Folders.make(folder)
                try history.add(line)
            } catch { post(.notice("\(error)")) }
        }
    }

    /// Expands a leading `~/` as a shell does.
    private func atHome(_ path: String) -> String {
        path.begins(with: "~/")
            ? (ProcessInfo.processInfo.environment["HOME"] ?? "") + path.dropFirst(scalars: 1) : path
    }

    /// Finds the files and folders whose path begins with a text, however its letters are spelled; hidden ones only if the
    /// text asks for them.
    private func completePath(_ text: String) {
        layers.files.async { [post, home = atHome("~/")] in
            let start =
                text.unicodeScalars.lastIndex(of: "/").map { text.unicodeScalars.index(after: $0) } ?? text.startIndex
            let (folder, name) = (String(text[..<start]), String(text[start...]))
            let place = folder.isEmpty ? "." : folder.begins(with: "~/") ? home + folder.dropFirst(scalars: 2) : folder
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            let found = names.filter {
                $0.begins(inAnySpelling: name) && (name.begins(with: ".") || !$0.begins(with: "."))
            }
            let paths = found.sorted().prefix(200).map { found in
                var isFolder = false
                let exists = FileManager.default.fileExists(atPath: place + "/" + found, isDirectory: &isFolder)
                return folder + found + (exists && isFolder ? "/" : "")
            }
            post(.pathsFound(text, paths))
        }
    }

    private func readToken(_ path: String) {
        Task { [post, path = atHome(path)] in
            do {
                let text = try await TokenSource.read(path).trimmed
                post(text.isEmpty ? .tokenRefused("\(path) is empty") : .tokenRead(TokenText(text)))
            } catch { post(.tokenRefused("\(error)")) }
        }
    }

    /// Copies text. Inside tmux it uses the paste buffer, which tmux forwards to the outer terminal: tmux itself
    /// ignores the control sequence.
    ///
    /// - Parameter isAddress: Whether the message shows the text instead of its length.
    private func copy(_ text: LeavingText, isAddress: Bool) {
        let kept = isAddress ? text.string : "\(text.string.count) characters"
        let left = text.removed == 0 ? "" : ", without \(text.removed) control character\(text.removed == 1 ? "" : "s")"
        let name = kept + left
        guard ProcessInfo.processInfo.environment["TMUX"] != nil else {
            let isSent = device.copy(text)
            return post(
                .notice(
                    isSent
                        ? "Copied \(name) (if your terminal allows OSC 52)"
                        : "Not copied: \(name) is too long for a terminal"))
        }
        let post = post
        Task {
            do {
                try await TmuxBuffer.load(text)
                post(.notice("Copied \(name) (if your terminal allows OSC 52)"))
            } catch { post(.notice("Not copied: tmux failed: \(error)")) }
        }
    }

    private func paint(_ page: Int, in area: Area, _ view: PictureView) {
        guard let tab else { return }
        guard let pictures, let pages = tab.pages else { return tab.post(.pictureFailed("PDF not downloaded yet")) }
        pictures.paint(
            PagePictures.Request(
                pages: pages, records: { try await tab.annotations(onPage: $0) }, page: page, area: area, view: view,
                post: tab.post))
    }

    // MARK: The person's editor

    /// Where the file of an editor is.
    private var editorFolder: String { options.session?.folder ?? options.folders.state }

    private func editExternally(_ text: String) {
        guard let editor = ExternalEditor(options.preferences) else {
            return post(.notEdited("No editor; set VISUAL or EDITOR"))
        }
        do {
            let folder = editorFolder
            try Folders.make(folder)
            let outcome = try device.released { [isPrivate = options.isPrivate] () throws -> ExternalEditor.Outcome in
                if isPrivate { Output.message(PrivateSession.aboutEditors) }
                return try editor.edit(text, in: folder)
            }
            if options.isPrivate { post(.notice(PrivateSession.aboutEditors)) }
            switch outcome {
            case .saved(let text, let file):
                editorFiles.append(file)
                post(.externallyEdited(text))
            case .notTaken(let why): post(.notEdited(why))
            }
        } catch { post(.notEdited("\(error)")) }
    }

    /// Removes the files of an editor whose texts are stored elsewhere by now. Drafts are written on the same queue.
    private func forgetEditorFile() {
        let (files, drafts) = (editorFiles, tab?.drafts)
        editorFiles = []
        layers.files.async {
            // The text may be nowhere else.
            guard drafts?.problem == nil else { return }
            for file in files { unlink(file) }
        }
    }

    /// Tells of texts that an editor has left behind.
    func tellLeftTexts() {
        layers.files.async { [post, folder = editorFolder] in
            let left = ExternalEditor.leftFiles(in: folder)
            guard let first = left.first else { return }
            let what = left.count == 1 ? "A text from your editor is" : "\(left.count) texts from your editor are"
            post(
                .notice(
                    "\(what) kept in \(left.count == 1 ? first : folder + "/note-*.txt"); remove it when it is used"))
        }
    }
}
