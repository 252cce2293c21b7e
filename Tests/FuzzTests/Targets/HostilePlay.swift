import Annotations
import App
import Screen
import Terminal
import TestSupport

/// A user of the program with untrusted texts, on a terminal that records every byte.
///
/// The first line of the input is the script: ASCII is typed, including key sequences; any other character is an event
/// by number, ① the first. The rest, separated by U+001F, are the untrusted texts.
struct HostilePlay {
    private static let mostSteps = 60
    /// The limit on responses that cause further requests.
    private static let mostAnswers = 20
    private static let firstEvent: Unicode.Scalar = "①"
    private static let noon = Timestamp(milliseconds: 1_780_142_400_000)

    private let script: [Unicode.Scalar]
    private let texts: HostileTexts

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self).unicodeScalars
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        script = parts[0].prefix(Self.mostSteps).map(\.self)
        let strangers = parts.count > 1 ? parts[1].split(separator: "\u{1F}", omittingEmptySubsequences: false) : []
        texts = HostileTexts(strangers.map { String($0) })
    }

    /// - Throws: ``FuzzTarget/Broken`` or `WrittenBytes.Foreign` if untrusted control output was shown or written.
    func run() throws {
        let terminal = try VirtualTerminal(rows: 24, columns: 70)
        let device = try open(terminal)
        defer { device.close() }
        let queue = Queue<Message>()
        var program = Program(
            state: AppState(begin: .layer(texts.reference), size: terminal.size, seed: (1, 2)),
            services: HostileWorld(texts),
            post: { queue.add($0) })
        program.start(at: Self.noon)
        var keys = KeyDecoder()
        for step in script where !program.isDone {
            let messages =
                step.isASCII
                ? keys.feed([UInt8(step.value)], at: 0).map(Message.key)
                : texts.events(Int(step.value &- Self.firstEvent.value))
            program.receive(messages, at: Self.noon)
            answer(&program, from: queue)
            try show(program.canvas, on: device, of: terminal)
        }
        device.close()
        terminal.pump()
        try WrittenBytes.check(terminal.output)
    }

    private func open(_ terminal: VirtualTerminal) throws -> TerminalDevice {
        guard let end = terminal.programEnd else { throw FuzzTarget.Broken(description: "no terminal") }
        var options = TerminalDevice.Options()
        options.type = "xterm-256color"
        return try TerminalDevice(input: end, output: end, options: options)
    }

    private func answer(_ program: inout Program, from queue: Queue<Message>) {
        for _ in 0..<Self.mostAnswers {
            let answers = queue.take()
            if answers.isEmpty { return }
            program.receive(answers, at: Self.noon)
        }
    }

    private func show(_ canvas: Canvas, on device: TerminalDevice, of terminal: VirtualTerminal) throws {
        if canvas.size != terminal.size {
            terminal.resize(rows: canvas.size.rows, columns: canvas.size.columns)
            _ = device.noteSize()
        }
        for row in 0..<canvas.size.rows {
            for column in 0..<canvas.size.columns {
                let scalars = canvas[row, column].glyph.scalars
                try FuzzTarget.hold(scalars.allSatisfy(WrittenBytes.shows), "a cell is not visible text: \(scalars)")
            }
        }
        device.draw(canvas)
        // A terminal that is not read blocks the program.
        terminal.pump()
    }
}
