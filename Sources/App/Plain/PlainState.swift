import Annotations
import Screen

/// A conversation about a layer: what was asked last and is not answered yet, and what is to be said. All else is in
/// the state of the program with a screen, whose commands are the ones that are given here.
///
/// A command is taken in two parts: it begins, which asks the world for something; when everything that was asked for has
/// come, it ends by saying what there is to say. Only then the next line is taken.
struct PlainState: Sendable {
    var app: AppState
    var numbers = PlainNumbers()
    var awaited = PlainAwaited()
    /// How the command that is under way ends; nil: there is none.
    var step: PlainStep?
    /// The next line answers this.
    var question: PlainQuestion?
    /// A text of several lines is being written.
    var writing: PlainWriting?
    /// Where `more` goes on in the list.
    var listed = 0
    var announces = true

    private var lines: [CleanText] = []
    /// What happened while nothing was asked: said with the next answer, so that it does not run into what is typed.
    private var held: [CleanText] = []
    private var isTalking = true
    var changes = PlainChanges()
    private var announcedAt: Timestamp?
    private var wasLost = false
    /// Quarters of the PDF that were told.
    private var quarters = 0
    private static let maxHeld = 20
    /// Lines are as long as they are: whoever reads them knows best where to break.
    static let width = 10_000
    private static let announceInterval: Int64 = 5000

    init(_ app: AppState) { self.app = app }

    var isReady: Bool { step == nil }

    mutating func start(at now: Timestamp) -> [Effect] {
        _ = update(&app, .tick(now))
        step = app.document == nil && app.opening != nil ? .opening : .library
        if app.token != nil { (step, question) = (nil, .token) }
        return begun(app.start())
    }

    mutating func receive(_ message: Message) -> [Effect] {
        let effects = update(&app, message)
        // Only one layer is open here: which one it is about is known.
        var message = message
        while case .at(_, let inner) = message { message = inner }
        awaited.came(message)
        tell(message)
        return begun(effects)
    }

    mutating func read(_ line: String) -> [Effect] {
        isTalking = true
        app.notice = nil
        app.document?.refreshThrottle.expect()
        let effects = answered(line)
        return begun(effects + app.reconcile())
    }

    mutating func takeLines() -> [CleanText] {
        defer { lines = [] }
        return lines
    }

    mutating func say(_ text: CleanText) {
        if isTalking { lines.append(text) } else if held.count < Self.maxHeld { held.append(text) }
    }

    /// Says something, and does nothing else.
    mutating func only(_ text: CleanText) -> [Effect] {
        say(text)
        return []
    }

    /// Goes on with the command that is under way, as far as what has come allows.
    private mutating func begun(_ effects: [Effect]) -> [Effect] {
        var effects = effects
        awaited.asked(effects)
        takeNotice()
        while let step, awaited.isEmpty, !isWaiting(for: step) {
            self.step = nil
            let more = finish(step) + app.reconcile()
            awaited.asked(more)
            effects += more
            takeNotice()
        }
        if step == nil, isTalking { stopPresenting() }
        return effects
    }

    private mutating func takeNotice() {
        // That a record is not in the list is said by the command that sought it.
        if let notice = app.notice, step?.seeks != true {
            say("\(notice.text)\(notice.hint.map { "; \($0.command.rawValue) \($0.effect)" } ?? "")")
        }
        app.notice = nil
    }

    /// Before the prompt: what happened meanwhile.
    private mutating func stopPresenting() {
        lines += held
        held = []
        lines += need()
        if app.document?.accessLost != nil, !wasLost {
            lines += app.accessLostLines(columns: Self.width) + ["Type save or remove."]
        }
        wasLost = app.document?.accessLost != nil
        if announces, !changes.isEmpty {
            if announcedAt.map({ app.now - $0 >= Self.announceInterval }) ?? true {
                lines.append("\(changes.sentence); type new")
                announcedAt = app.now
                changes.clear()
            }
        }
        isTalking = false
    }

    /// A card that opened by itself becomes a sentence: here it must not stand in the way.
    private mutating func need() -> [CleanText] {
        guard let card = app.token, card.purpose == .layer, question != .token, !card.isTrying else { return [] }
        let facts = app.lines(of: card, columns: Self.width).filter { $0.role == .fact || $0.role == .problem }
        _ = app.escape()
        return facts.map { $0.text.dropping(columns: 1) } + ["Type token to enter one."]
    }

    /// What is told of a message while it comes.
    private mutating func tell(_ message: Message) {
        switch message {
        case .download(let progress):
            let reached = Int((progress.fraction ?? 0) * 4)
            if reached > quarters, reached < 4 { say("\(reached * 25)% of the PDF downloaded") }
            quarters = max(quarters, min(reached, 3))
        case .pdfReady:
            if (1..<4).contains(quarters) { say("100% of the PDF downloaded") }
            quarters = 0
        case .downloadFailed(let why?): say("Cannot download the PDF: \(why)")
        case .opened: quarters = 0
        case .resolveFailed: if case .resolving = step { step = .done }
        case .editFailed:
            // Nothing is open between two lines: the text is a draft.
            if writing == nil { app.document?.editor = nil }
        case .recordsChanged(let ids, let author?, _): changes.add(author, max(1, ids.count))
        default: break
        }
    }
}
