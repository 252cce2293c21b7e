import Annotations
import Screen

// Maps commands to actions.
extension AppState {
    /// - Parameter count: The count typed before the command; nil for none.
    mutating func run(_ command: Command, count: Int?) -> [Effect] {
        if waitsForFile(command) { return hold(command, count: count) }
        if let why = denial(of: command) { return refuse(command, why) }
        if let effects = runWriting(command) { return effects }
        if overlay == nil, let effects = runOnPicture(command, count) { return effects }
        if overlay == .look, command == .goTo { return runInLook(command, count) }
        if overlay == .reader, [.copy, .goTo].contains(command) { return runInReader(command, count: count) }
        switch command {
        case .help: if help == nil { openHelp() } else { help = nil }
        case .commandLine: return beginCommandLine()
        case .palette: openPalette()
        case .redraw: return [.redraw]
        case .suspend: return keepDraft() + [.suspend]
        case .escape: return escape() ?? []
        case .interrupt:
            guard let effects = escape() else { return only(.done(howToLeave)) }
            return effects
        case .leave: return leave()
        case .open: return openCurrent()
        case .nextTab: return turnTab(by: max(1, count ?? 1))
        case .previousTab: return turnTab(by: -max(1, count ?? 1))
        case .addLayer: prompt = Prompt(.server, label: "Server: ")
        case .openFile: prompt = Prompt(.file, label: "PDF: ")
        case .startDemo: return startDemo()
        case .removeLayer: askToRemove()
        case .undo: return undo()
        case .redo: return redo()
        case .sync:
            notice = .done("syncing")
            return [.syncNow]
        case .token:
            document?.refusedNeed = nil
            help = nil
            token = token ?? TokenCard(.layer)
        case .outbox:
            document?.outbox.isOpen = true
            document?.outbox.isStale = true
            return findGoneDrafts()
        case .saveUnsent: return saveUnsent()
        case .keepReading: document?.isLossAccepted = true
        case .download: return download()
        case .present: present()
        case .follow: follow()
        case .mine, .theirs, .merge: return resolve(command)
        case .note: return addNote()
        case .delete: return loadBatch(for: .delete)
        case .comment: return beginThread()
        case .reply: return reply()
        case .resolve: return resolveOrReopen()
        case .copy: return copyHere()
        case .copyAll: return copyNote(withQuote: true)
        case .setBookmark: awaitLetter(for: .setBookmark)
        case .goToBookmark: awaitLetter(for: .goToBookmark)
        case .nextMark: return goToMark(by: max(1, count ?? 1))
        case .previousMark: return goToMark(by: -max(1, count ?? 1))
        case .repeatMark: return document?.lastMark.map { mark($0) } ?? []
        case .lookAt: return lookAt()
        case .review: return beginReview()
        case .mentions: return listMentions()
        case .acceptThis: return decide(.accepted)
        case .rejectThis: return decide(.rejected)
        case .skip: return skipRemark()
        case .outline: showOutline()
        case .picture: return paintPage()
        case .followLink: showHints()
        case .mark: return mark()
        case .markRange: return markRange()
        case .markAll: return loadAll(for: .mark)
        case .invertMarks: return loadAll(for: .invertMarks)
        case .recolor: chooseColor()
        case .filter: return [.loadFacets]
        case .showHidden: toggleHidden()
        case .saveFile: return saveFile()
        case .blame: document?.showsBlame.toggle()
        case .edit: return editCurrent(externally: false)
        case .editExternally: return editCurrent(externally: true)
        default: return runMoving(command, count: count)
        }
        return []
    }

    /// Says why a command is unavailable. Help pressed next tells what would allow it.
    private mutating func refuse(_ command: Command, _ why: String) -> [Effect] {
        notice = .warning(why.asSentence, hint: instead(of: command))
        refused = .command(command)
        return []
    }

    /// Runs a command of a text field; nil if the command has no meaning there.
    private mutating func runWriting(_ command: Command) -> [Effect]? {
        switch overlay {
        case .prompt:
            if let effects = runInCommandLine(command) { return effects }
            if command == .accept { return promptAccepted() }
            return prompt?.input.run(command) == true ? promptChanged() : nil
        case .picker: return runInPicker(command)
        case .help: return runInHelpFilter(command)
        case .token:
            switch command {
            case .useToken, .accept: return useToken()
            case .clearToken: token?.clear()
            case .complete: return completePath()
            default: return token?.run(command) == true ? [] : nil
            }
            return []
        case .editor:
            switch command {
            case .accept: return saveEditor()
            case .moveToEditor: return moveToExternalEditor()
            case .complete, .completeBack: return completeName(forward: command == .complete)
            default:
                document?.editor?.completion = nil
                return document?.editor?.input.run(command) == true ? [] : nil
            }
        default: return nil
        }
    }

    mutating func runMoving(_ command: Command, count: Int?) -> [Effect] {
        if help != nil { return scrollHelp(command, count: count) }
        guard let document else { return moveInLibrary(command, count: count) }
        if overlay == .look { return runInLook(command, count) }
        if overlay == .conflict { return moveInConflict(command, count) }
        if document.reader != nil { return runInReader(command, count: count) }
        if document.requests.isOpen { return runInRequests(command, count: count) }
        if document.outbox.isOpen { return runInOutbox(command, count: count) }
        switch command {
        case .otherPane: changePane(forward: true)
        case .paneBefore: changePane(forward: false)
        case .listPane: self.document?.focus = .list
        case .threadPane:
            guard !document.thread.comments.isEmpty else { return only(.done("This annotation has no thread")) }
            self.document?.focus = .thread
        case .pagePane: self.document?.focus = .page
        case .search: beginSearch()
        case .searchNext: return searchAgain(by: max(1, count ?? 1))
        case .searchPrevious: return searchAgain(by: -max(1, count ?? 1))
        case .back: return jump { $0.jumps.back(from: $1) }
        case .forward: return jump { $0.jumps.forward(from: $1) }
        case .nextPage: turnPage(by: max(1, count ?? 1))
        case .previousPage: turnPage(by: -max(1, count ?? 1))
        case .changeView: changeView()
        case .highlight: return mark(.highlight)
        case .underline: return mark(.underline)
        case .strikeOut: return mark(.strikeOut)
        case .squiggly: return mark(.squiggly)
        case .read: return openReader()
        case .goTo: return goToCurrent()
        case .zoomPane: self.document?.isZoomed.toggle()
        case .growPane: movePane(by: max(1, count ?? 1))
        case .shrinkPane: movePane(by: -max(1, count ?? 1))
        case .showMarks: return showMarks()
        case .sort: sort()
        case .nextUnread: return findUnread()
        case .markAllRead: return markAllRead()
        case .showDetail: toggleDetail()
        default:
            switch document.focus {
            case .list: return moveInList(command, count)
            case .thread: return moveInThread(command, count)
            case .page: return moveOnPage(command, count)
            }
        }
        return []
    }

    /// Moves the divider by a few columns or a row, in favour of the focused pane.
    private mutating func movePane(by steps: Int) {
        guard let document else { return }
        let isPage = document.focus == .page
        switch layout.form {
        case .beside:
            self.document?.besideShift = max(-60, min(60, document.besideShift + (isPage ? 4 : -4) * steps))
        case .stacked:
            self.document?.stackedShift = max(-40, min(40, document.stackedShift + (isPage ? 1 : -1) * steps))
        case .single, .tooSmall: notice = .done("There is only one pane; Tab to change it")
        }
    }

    private mutating func toggleDetail() {
        let isHidden = layout.detail.isEmpty
        document?.showsDetail = isHidden
    }
}
