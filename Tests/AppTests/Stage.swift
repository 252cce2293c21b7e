import Annotations
import App
import Screen
import TestSupport

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
        keymap: Keymap = .standard, invitation: String? = nil
    ) {
        self.services = services
        let queue = queue
        program = Program(
            state: AppState(
                begin: begin, size: Size(rows: rows, columns: columns), keymap: keymap, invitation: invitation,
                seed: (1, 2)),
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
    /// The content of the box in the middle of the screen, without its title, its keys and the blank line above them.
    var box: [String] {
        let rows = lines.filter { $0.contains(" │") && $0.contains("│ ") }.map { line in
            let start = line.firstIndex(of: "│").map { line.index(after: $0) } ?? line.startIndex
            let end = line.lastIndex(of: "│") ?? line.endIndex
            return String(line[start..<end]).dropFirst().trimmedEnd
        }
        return Array(rows.dropLast().reversed().drop { $0.isEmpty }.reversed())
    }

    /// The keys of that box.
    var boxKeys: String {
        let row = lines.lastIndex { $0.contains("└") }.map { lines[$0 - 1] } ?? ""
        return row.split(separator: "│").dropFirst().first.map { String($0) } ?? ""
    }

    /// The last row, with the prompt, notice or keys.
    var foot: String { lines.last ?? "" }
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
    fileprivate var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
