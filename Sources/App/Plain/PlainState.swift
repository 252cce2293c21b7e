import Annotations
import Screen

/// The line-oriented interface: the command that has not finished, and the lines to print. Everything else is in the
/// state of the program with a screen, whose commands it runs.
///
/// A command runs in two parts. It begins with requests to the services; when all responses have arrived, it finishes
/// by printing its result. Only then is the next line read.
struct PlainState: Sendable {
    var app: AppState
    var numbers = PlainNumbers()
    var awaited = PlainAwaited()
    /// How the running command finishes; nil if none is running.
    var step: PlainStep?
    /// The question that the next line answers.
    var question: PlainQuestion?
    /// The lines of a text that is being written, until one with only a dot; nil while none is. The text is in the
    /// editor, too.
    var writing: [String]?
    /// Where `more` continues in the list.
    var listed = 0
    var announces = true
    /// Whether the program ends because what it was started with cannot be opened.
    var hasFailed = false

    private var lines: [CleanText] = []
    /// Lines produced while no command was running. They are printed with the next result, so that they do not mix
    /// with the user's typing.
    private var held: [CleanText] = []
    private var isAnswering = true
    var changes = PlainChanges()
    private var announcedAt: Timestamp?
    private var wasLost = false
    /// Quarters of the PDF download already reported.
    private var quarters = 0
    /// Quarters of the upload already reported.
    private var sentQuarters = 0
    private static let maxHeld = 20
    /// Effectively unlimited: lines are not wrapped here.
    static let width = 10_000
    private static let announceInterval: Int64 = 5000

    init(_ app: AppState) {
        self.app = app
        self.app.showsPicturesAlone = false
    }

    var isReady: Bool { step == nil }

    mutating func start(at now: Timestamp) -> [Effect] {
        _ = update(&app, .tick(now))
        step = app.document == nil && app.opening != nil ? .opening : .library
        if app.token != nil { (step, question) = (nil, .token) }
        return begun(app.start())
    }

    mutating func receive(_ message: Message) -> [Effect] {
        let effects = update(&app, message)
        // Only one layer is open here, so the reference is not needed.
        var message = message
        while case .at(_, let inner) = message { message = inner }
        awaited.came(message)
        tell(message)
        return begun(effects)
    }

    mutating func read(_ line: String) -> [Effect] {
        isAnswering = true
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
        if isAnswering { lines.append(text) } else if held.count < Self.maxHeld { held.append(text) }
    }

    /// Prints a line without requesting any effect.
    mutating func only(_ text: CleanText) -> [Effect] {
        say(text)
        return []
    }

    /// Continues the running command as far as the responses allow.
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
        if step == nil, isAnswering { finishAnswer() }
        return effects
    }

    private mutating func takeNotice() {
        // A command that looks up a record reports on its own that the record is not in the list.
        if let notice = app.notice, step?.seeks != true {
            say("\(notice.text)\(notice.hint.map { "; \($0.command.rawValue) \($0.effect)" } ?? "")")
        }
        app.notice = nil
    }

    /// Prints, before the prompt, what happened meanwhile.
    private mutating func finishAnswer() {
        lines += held
        held = []
        lines += need()
        if app.document?.accessLost != nil, !wasLost {
            lines += app.accessLostLines(columns: Self.width) + ["Type save or remove."]
        }
        wasLost = app.document?.accessLost != nil
        if announces, !changes.isEmpty {
            // A clock that was set back must not keep changes from being told.
            if announcedAt.map({ app.now < $0 || app.now - $0 >= Self.announceInterval }) ?? true {
                lines.append("\(changes.sentence); type new")
                announcedAt = app.now
                changes.clear()
            }
        }
        isAnswering = false
    }

    /// Turns a card that opened on its own into sentences, because here it must not block input.
    private mutating func need() -> [CleanText] {
        guard let card = app.token, card.purpose == .layer, question != .token, !card.isTrying else { return [] }
        let facts = app.lines(of: card, columns: Self.width).filter { $0.role == .fact || $0.role == .problem }
        _ = app.escape()
        return facts.map { $0.text } + ["Type token to enter one."]
    }

    /// Reports a message when it arrives.
    private mutating func tell(_ message: Message) {
        switch message {
        case .download(let progress):
            let reached = Int((progress.fraction ?? 0) * 4)
            if reached > quarters, reached < 4 { say("\(reached * 25)% of the PDF downloaded") }
            quarters = max(quarters, min(reached, 3))
        case .upload(let upload):
            let reached = Int((upload?.transfer.fraction ?? 0) * 4)
            if reached > sentQuarters, reached < 4 { say("\(reached * 25)% of the file sent") }
            sentQuarters = upload == nil ? 0 : max(sentQuarters, min(reached, 3))
        case .pdfReady:
            if (1..<4).contains(quarters) { say("100% of the PDF downloaded") }
            quarters = 0
        case .downloadFailed(let why?): say("Cannot download the PDF: \(why)")
        case .opened: quarters = 0
        case .resolveFailed: if case .resolving = step { step = .done }
        case .editFailed:
            // No editor stays open between two lines; the text is a draft.
            if writing == nil { app.document?.editor = nil }
        case .tokenChecked(let verdict): say(TokenCheck(verdict, at: app.now).sentence)
        case .recordsChanged(let ids, let author?, _, _): changes.add(author, max(1, ids.count))
        default: break
        }
    }
}
