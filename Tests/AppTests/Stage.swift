import Annotations
import Screen
import TestSupport

@testable import App

/// A test driver over `FakeServices`.
typealias Stage = StageOver<FakeServices>

/// A test driver for the program: keys and events in, screens out.
final class StageOver<Services: AppServices> {
    let services: Services
    private var program: Program
    private let queue = Queue<Message>()
    var now = Timestamp.noon

    init(
        _ services: Services, begin: AppState.Start = .layer(.hotos), rows: Int = 24, columns: Int = 80,
        keymap: Keymap = .standard, invitation: String? = nil, theme: Theme = .standard,
        themeChoice: ThemeChoice? = nil, art: LineArt = .unicode, depth: ColorDepth = .many,
        markStyle: MarkStyle = MarkStyle()
    ) {
        self.services = services
        let queue = queue
        program = Program(
            state: AppState(
                begin: begin, size: Size(rows: rows, columns: columns), theme: theme, themeChoice: themeChoice,
                art: art, depth: depth, markStyle: markStyle, keymap: keymap, invitation: invitation, seed: (1, 2)),
            services: services, post: { queue.add($0) })
        program.start(at: now)
        drain()
    }

    /// Presses keys, written as in `Key.sequence`.
    @discardableResult
    func press(_ script: String) throws -> StageOver {
        for key in try Key.sequence(script) { send(.key(key)) }
        return self
    }

    func send(_ message: Message) {
        program.receive([message], at: now)
        drain()
    }

    /// Processes the posted messages.
    func drain() {
        while true {
            let messages = queue.take()
            if messages.isEmpty { return }
            program.receive(messages, at: now)
        }
    }

    var state: AppState { program.state }
    var canvas: Canvas { program.canvas }
    var screen: String { canvas.text }
    var lines: [String] { (0..<canvas.size.rows).map(canvas.line) }
    /// The title of the box in the middle of the screen; empty without one.
    var boxTitle: String { lines.first { $0.contains("┌─ ") }?.split(separator: "─").dropFirst().first?.trimmed ?? "" }

    /// The rows of the box, without its frame.
    private var boxRows: [String] {
        guard let start = lines.firstIndex(where: { $0.contains("┌─ ") }),
            let end = lines.lastIndex(where: { $0.contains("└─") })
        else { return [] }
        return lines[start + 1..<end].map { line in
            let start = line.firstIndex(of: "│").map { line.index(after: $0) } ?? line.startIndex
            // A scroll bar may stand in the frame.
            let end = line.lastIndex { "│█▲▼".contains($0) } ?? line.endIndex
            return String(line[start..<max(start, end)].dropFirst()).trimmedEnd
        }
    }

    /// The content of the box, without its keys and the blank line above them.
    var box: [String] { Array(boxRows.dropLast().reversed().drop { $0.isEmpty }.reversed()) }
    var boxKeys: String { boxRows.last ?? "" }

    /// What the user is told or asked: the line being typed, else a question, else a notice, else the keys.
    var foot: String {
        let state = program.state
        if let prompt = state.prompt { return prompt.isQuestion ? prompt.label.trimmedEnd : lines.last ?? "" }
        return state.notice.map { " " + state.wording(of: $0) } ?? lines.last ?? ""
    }
    var statusLine: String { lines.dropLast().last ?? "" }
    /// The text under the cursor.
    var underCursor: String {
        guard let cursor = canvas.cursor else { return "" }
        return String(canvas.line(cursor.row).dropFirst(cursor.column).prefix { $0 != " " })
    }
}

extension StageOver<FakeServices> {
    var asked: [Effect] { services.asked }

    /// Saves up to this many waiting edits in order, as when the disk is free again.
    func saveHeld(_ count: Int = .max) {
        services.saveHeld(count)
        drain()
    }
}

extension StringProtocol {
    fileprivate var trimmed: String { String(String(drop { $0 == " " }).trimmedEnd) }
    fileprivate var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
