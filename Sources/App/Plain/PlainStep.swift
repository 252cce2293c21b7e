import Annotations
import InstantCore
import Screen

/// How a command finishes once all responses have arrived.
enum PlainStep: Equatable, Sendable {
    /// List the library, or describe the opened layer.
    case library, opening
    /// Name the page, read it, or search it for words.
    case page, reading, finding(String)
    /// Find words on the page and mark them.
    case marking(Command, String)
    case placing(String)
    case listing
    case showing(Record.ID), editing(Record.ID), deleting(Record.ID), replying(Record.ID)
    case stating(Record.ID, AnnotationState)
    case outbox, resolving(Record.ID, Resolution)
    case tokenFile
    /// Wait for the server to check a token, for a layer being added or for the open one.
    case token(TokenCard.Purpose)
    case syncing
    /// Edits were submitted.
    case edited
    /// Print nothing more.
    case done

    /// Whether the command looks up a record.
    var seeks: Bool {
        switch self {
        case .showing, .editing, .deleting, .replying, .stating: true
        default: false
        }
    }
}

/// The question that the next line answers.
enum PlainQuestion: Equatable, Sendable {
    case token
    /// Which of these glyph ranges is meant.
    case which(PlainChoice)
}

/// A text that occurs several times, and the action for the chosen place.
struct PlainChoice: Equatable, Sendable {
    enum Purpose: Equatable, Sendable { case mark(Command), note }

    var places: [Range<Int>]
    var purpose: Purpose
}

extension PlainState {
    /// Returns whether a step must wait although all responses have arrived.
    func isWaiting(for step: PlainStep) -> Bool {
        if app.document?.isReading == true, step != .done { return true }
        if app.document?.isOpeningForEdits == true, app.document?.isLocal == true, step != .done { return true }
        switch step {
        case .opening:
            guard let document = app.document else { return app.opening != nil && app.opening?.problem == nil }
            return document.pdf == .opening || isConnecting || isAboutToArrive(document)
        // Pages, and the words under marks, need the PDF.
        case .page, .reading, .finding, .marking, .placing: return isPDFComing
        case .listing: return isPDFComing && app.document?.list.query.filter.inQuotes == true
        case .syncing: return isConnecting || isSending
        case .token:
            guard let card = app.token else { return isConnecting || (app.document == nil && app.opening != nil) }
            return card.isTrying && !isOffline
        default: return false
        }
    }

    /// Returns whether the download is complete, or its progress is still unknown.
    private func isAboutToArrive(_ document: DocumentState) -> Bool {
        guard case .live = document.status.connection, case .downloading(let progress) = document.pdf else {
            return false
        }
        return progress?.fraction ?? 1 == 1
    }

    private var isPDFComing: Bool {
        switch app.document?.pdf {
        case .downloading?, .opening?: true
        default: false
        }
    }

    private var isConnecting: Bool {
        guard let document = app.document, !document.isLocal else { return false }
        return switch document.status.connection {
        case .connecting: true
        case .live: document.status.isSyncing
        default: false
        }
    }

    private var isSending: Bool {
        guard let status = app.document?.status, case .live = status.connection else { return false }
        return status.unsent > 0
    }

    var isOffline: Bool {
        if case .offline? = app.document?.status.connection { true } else { false }
    }

    mutating func finish(_ step: PlainStep) -> [Effect] {
        switch step {
        case .library: sayLibrary()
        case .opening: return sayOpened()
        case .page: sayPage()
        case .reading: sayText()
        case .finding(let words): sayFound(words)
        case .marking(let command, let words): return choose(words, .mark(command))
        case .placing(let words): return choose(words, .note)
        case .listing: sayList()
        case .showing(let id): return sayRecord(id)
        case .editing(let id): return edit(id)
        case .deleting(let id): return delete(id)
        case .replying(let id): reply(to: id)
        case .stating(let id, let state): return set(state, of: id)
        case .outbox: sayOutbox()
        case .resolving: say("Resolved.")
        case .tokenFile: return useTokenFile()
        case .token(let purpose): sayToken(purpose)
        case .syncing: say(StatusLine.plain(app))
        case .edited, .done: break
        }
        return []
    }
}
