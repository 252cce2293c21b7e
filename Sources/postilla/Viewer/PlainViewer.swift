import Annotations
import App
import ArgumentParser
import Dispatch
import Glibc
import Screen

/// The program without a screen (`--plain`): for screen readers, dumb terminals and pipes. Writes lines only; reads the
/// next line when the last command is complete, so that an editor has the terminal to itself.
enum PlainViewer {
    private enum Event: Sendable {
        case message(Message)
        /// nil at the end of the input.
        case line(String?)
        case signal(Int32)
    }

    private static let maxLineBytes = 1 << 20

    @MainActor static func run(_ options: ViewerOptions) async throws {
        let state = AppState(
            begin: try await Viewer.start(options), size: Size(rows: 60, columns: 100), utcOffset: Viewer.utcOffset(),
            invitation: options.invitation, seed: Viewer.seed())
        let terminal = PlainTerminal()
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let post: @Sendable (Message) -> Void = { continuation.yield(.message($0)) }
        let services = ViewerServices(options: options, device: terminal, post: post)
        defer { for message in services.finish() { Output.message(message) } }
        let stopWatch = StopWatch { [layers = services.layers] in layers.clients }
        defer { withExtendedLifetime(stopWatch) {} }
        let log = options.log
        let performed: any AppServices = log.map { LoggedServices(services, $0) } ?? services
        var program = PlainProgram(
            state, announces: options.preferences.isOn(.announce), services: performed, post: post)
        defer {
            log?.note("end")
            log?.flush()
        }
        // On a signal the program ends cleanly: drafts are stored.
        let signals = Interruption.watch { continuation.yield(.signal($0)) }
        defer { for signal in signals { signal.cancel() } }

        var isReading = false
        var ending: Int32?
        func goOn() {
            for line in program.takeLines() { Output.data(PrintableText(line) + "\n") }
            guard program.isReady, !isReading, !program.isDone else { return }
            isReading = true
            terminal.hideInput(program.hidesInput)
            if terminal.isInteractive { Output.data(PrintableText(program.prompt)) }
            Task { continuation.yield(.line(await nextLine())) }
        }
        // Without frames, nothing waits for the first one.
        services.frameWasDrawn()
        program.start(at: .now)
        services.tellLeftTexts()
        goOn()
        for await event in events {
            switch event {
            case .message(let message):
                log?.note(message)
                program.receive([message], at: .now)
            case .line(let line?):
                log?.note("line")
                isReading = false
                program.read(line, at: .now)
            case .line(nil): program.end(at: .now)
            case .signal(let number):
                ending = number
                program.end(at: .now)
            }
            goOn()
            if program.isDone { break }
        }
        terminal.hideInput(false)
        services.close()
        await services.layers.closed()
        await services.hooks.ended()
        if let farewell = program.farewell { Output.data(PrintableText(farewell) + "\n") }
        if ending == SIGINT { throw CancellationError() }
        if program.hasFailed { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private static func nextLine() async -> String? {
        switch try? await StandardInput.shared.lines(maxCount: 1, maxBytes: maxLineBytes).first {
        case .line(let bytes)?: String(decoding: bytes, as: UTF8.self).trimmingCarriageReturn
        case .tooLong?: ""
        case nil: nil
        }
    }
}

extension String {
    fileprivate var trimmingCarriageReturn: String { ends(with: "\r") ? String(dropLast(scalars: 1)) : self }
}
