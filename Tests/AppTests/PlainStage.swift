import Annotations
import Screen
import TestSupport

@testable import App

/// A test driver for the program without a screen: lines in, lines out.
final class PlainStage {
    let services: FakeServices
    private var program: PlainProgram
    private let queue = Queue<Message>()
    var now = Timestamp.noon
    /// The output since the last typed line.
    private(set) var said: [String] = []

    init(_ services: FakeServices, begin: AppState.Start = .layer(.hotos)) {
        self.services = services
        let queue = queue
        program = PlainProgram(
            AppState(begin: begin, size: Size(rows: 60, columns: 100), seed: (1, 2)), services: services,
            post: { queue.add($0) })
        program.start(at: now)
        drain()
    }

    /// Types a line and returns the output.
    @discardableResult
    func type(_ line: String) -> [String] {
        said = []
        program.read(line, at: now)
        drain()
        return said
    }

    func send(_ message: Message) {
        program.receive([message], at: now)
        drain()
    }

    func end() {
        program.end(at: now)
        drain()
    }

    private func drain() {
        while case let messages = queue.take(), !messages.isEmpty { program.receive(messages, at: now) }
        said += program.takeLines().map(\.string)
    }

    var prompt: String { program.prompt.string }
    var isReady: Bool { program.isReady }
    var hidesInput: Bool { program.hidesInput }
    var isDone: Bool { program.isDone }
    var asked: [Effect] { services.asked }
}
