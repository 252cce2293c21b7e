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
