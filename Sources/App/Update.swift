import PageLayout
import Screen

/// Applies a message to the state and returns the requested effects. Pure and total: no clock, no I/O, and every
/// message is accepted in every state.
package func update(_ state: inout AppState, _ message: Message) -> [Effect] {
    if case .key(let key) = message, let second = state.keyAfterEscape(key) {
        return update(&state, .key(.escape)) + update(&state, .key(second))
    }
    let effects = state.handle(message)
    let departing = state.departIfSaved()
    return effects + departing + (state.hasQuit ? [] : state.reconcile())
}

extension AppState {
    /// Returns the first requests.
    func start() -> [Effect] {
        switch begin {
        case .library: [.loadLibrary]
        case .layer(let reference): [.openLayer(reference)]
        case .join(let server, let token): [.join(server: server, token: token)]
        case .file(let path): [.openFile(path)]
        case .ask: [.loadLibrary]
        }
    }

    mutating func handle(_ message: Message) -> [Effect] {
        switch message {
        case .key(let key):
            document?.refreshThrottle.expect()
            let before = followerStanding
            let effects = pressed(key)
            breakAway(from: before)
            return effects
        case .resize(let size): self.size = size
        case .ground(let ground): groundCame(ground)
        case .tick(let now): return ticked(now)
        case .terminate: return keepDraft() + depart(.termination)
        case .externallyEdited(let text): return externallyEdited(text)
        case .notEdited(let why):
            document?.external = nil
            notice = .error(why.asSentence)
        case .library(let entries): library.take(entries)
        case .libraryFiles(let files): library.take(files)
        case .at(let reference, let message): return handle(message, of: reference)
        case .opened(let layer): return opened(layer)
        case .openFailed(let why): openFailed(why)
        case .demoReady(let server, let token): return demoStarted(server, token)
        case .titled(let title): document?.title = title
        case .download(let progress): downloaded(progress)
        case .upload(let upload): document?.upload = upload
        case .downloadFailed(let why): downloadFailed(why)
        case .pdfReady(let info): return pdfCame(info)
        case .pdfMeasured(let info): pdfMeasured(info)
        case .navigation(let navigation): navigationCame(navigation)
        case .annotationsRead: return annotationsRead()
        case .indexed(let texts): indexed(texts)
        case .likelyPages(let pages, let text): likely(pages, text)
        case .indexFailed(let why): indexFailed(why)
        case .quoted(let isAll): if !isAll { quoted() }
        case .page(let index, let text): pageCame(index, .text(PageGlyphs(text)))
        case .pageFailed(let index, let why): pageCame(index, .failed(why))
        case .pictureReady(let view): return pictureReady(view)
        case .pictureCells(let cells, let view): pictureCame(cells, view)
        case .pictureFailed(let why): return pictureFailed(why)
        case .file(let status): return fileCame(status)
        case .undoable(let steps): document?.history = UndoHistory(steps)
        case .fileWritten(let written): return fileWritten(written)
        case .fileRefused(let refusal): fileRefused(refusal)
        case .fileReverted(let count): fileReverted(count)
        case .fileNotReverted(let why): notice = .error("Not reverted: \(why)")
        case .fileMerged(let merge): fileMerged(merge)
        case .copyRead(let copy): return copyRead(copy)
        case .copyNotRead(let why): notice = .error("Not merged: \(why)")
        case .rows(let window): return rowsCame(window)
        case .pageRows(let index, let rows): pageRowsCame(index, rows)
        case .markFound(let request, let row): return markFound(request, row)
        case .record(let id, let record): recordCame(id, record)
        case .thread(let root, let comments): threadCame(comments, under: root)
        case .batchLoaded(let found): return batchLoaded(found)
        case .facets(let facets): chooseFilter(facets)
        case .people(let people): return peopleCame(people)
        case .outbox(let items): outboxCame(items)
        case .otherCopies(let copies): otherCopiesCame(copies)
        case .draftKept(let key, let fate): draftKept(key, fate)
        case .goneDrafts(let gone, let asked): goneDraftsCame(gone, of: asked)
        case .recordsChanged(let ids, let author, let others, let mentions):
            return recordsChanged(ids, author, byOthers: others, mentions: mentions)
        case .edited(let step, let ids): return edited(step, ids)
        case .editFailed(let step, let why): return editFailed(step, why)
        case .undone(let step): return undone(step)
        case .undoFailed(let step, let why, let isFinal): undoFailed(step, why, isFinal: isFinal)
        case .attached(let content): return attached(content)
        case .resolved(let id): return resolved(id)
        case .resolveFailed(let id, let why): return resolveFailed(id, why)
        case .status(let status): return statusCame(status) + releaseHeldKeys()
        case .tokenExpires(let end): tokenExpires(at: end)
        case .tokenRead(let text): token?.fileWasRead(text)
        case .pathsFound(let text, let paths): pathsCame(text, paths)
        case .tokenAccepted: tokenAccepted()
        case .tokenRefused(let why): tokenRefused(why)
        case .tokenChecked(let verdict): tokenChecked(verdict)
        case .history(let lines): history.load(lines)
        case .requests(let requests): requestsCame(requests)
        case .presence(let presence): presenceCame(presence)
        case .notice(let text): notice = .done(text.asSentence)
        case .unsentSaved(let reference, let count, let path): unsentSaved(of: reference, count, in: path)
        }
        return []
    }
}
