/// The requested responses that have not arrived yet.
struct PlainAwaited: Equatable, Sendable {
    private enum Answer: Hashable {
        case library, rows, pageRows, record, outbox, page, edit, undo, resolved, file, text, thread, batchLoaded,
            quotes, attachment, writing, reverting, merging
    }

    private var counts: [Answer: Int] = [:]

    var isEmpty: Bool { counts.isEmpty }

    mutating func asked(_ effects: [Effect]) {
        for effect in effects {
            if effect == .closeLayer { counts = [:] }
            if let answer = Self.answer(to: effect) { counts[answer, default: 0] += 1 }
        }
    }

    mutating func came(_ message: Message) {
        switch message {
        // A failed read is reported as a notice, and no response follows.
        case .notice: counts = [:]
        case .library: came(.library)
        case .rows: came(.rows)
        case .pageRows: came(.pageRows)
        case .record: came(.record)
        case .outbox: came(.outbox)
        case .page, .pageFailed: came(.page)
        case .edited, .editFailed: came(.edit)
        case .undone, .undoFailed: came(.undo)
        case .resolved, .resolveFailed: came(.resolved)
        case .tokenRead, .tokenRefused: came(.file)
        case .externallyEdited, .notEdited: came(.text)
        case .thread: came(.thread)
        case .attached: came(.attachment)
        case .fileWritten, .fileRefused: came(.writing)
        case .fileReverted, .fileNotReverted: came(.reverting)
        case .copyRead, .copyNotRead: came(.merging)
        case .batchLoaded: came(.batchLoaded)
        // Requests made during a round get no separate response.
        case .quoted(isAll: true): counts[.quotes] = nil
        default: break
        }
    }

    private mutating func came(_ answer: Answer) {
        guard let count = counts[answer] else { return }
        counts[answer] = count > 1 ? count - 1 : nil
    }

    private static func answer(to effect: Effect) -> Answer? {
        switch effect {
        case .loadLibrary, .removeLayer: .library
        case .loadRows, .findUnread: .rows
        case .loadPageRows: .pageRows
        case .loadRecord: .record
        case .loadOutbox: .outbox
        case .loadPage: .page
        case .perform: .edit
        case .undo: .undo
        case .resolve: .resolved
        case .readTokenFile: .file
        case .editExternally: .text
        case .loadThread: .thread
        case .loadBatch: .batchLoaded
        case .quoteDocument: .quotes
        case .attach: .attachment
        case .writeFile: .writing
        case .revertFile: .reverting
        case .mergeCopy: .merging
        default: nil
        }
    }
}
