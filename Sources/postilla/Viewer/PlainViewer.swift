import Annotations
import App
import Dispatch
import Screen

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program without a screen (`--plain`): for screen readers, dumb terminals and pipes. Writes lines and nothing
/// else; reads the next line only when the last command is done, so that an editor has the terminal to itself.
enum PlainViewer {
    private enum Event: Sendable {
        case message(Message)
        /// nil: there is no more.
        case line(String?)
        case signal(Int32)
    }

    private static let longestLine = 1 << 20

    @MainActor static func run(_ options: ViewerOptions) async throws {
        let state = AppState(
            begin: try await Viewer.start(options), size: Size(rows: 60, columns: 100), utcOffset: Viewer.utcOffset(),
            invitation: options.invitation)
        let terminal = PlainTerminal()
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let post: @Sendable (Message) -> Void = { continuation.yield(.message($0)) }
        let services = ViewerServices(options: options, device: terminal, post: post)
        defer { services.close() }
        var program = PlainProgram(
            state, announces: options.preferences.isOn(.announce), services: services, post: post)
        let signals = watchSignals { continuation.yield(.signal($0)) }
        defer { for signal in signals { signal.cancel() } }

        var isReading = false
        var ending: Int32?
        func goOn() {
            for line in program.takeLines() { Output.data(line.string + "\n") }
            guard program.isReady, !isReading, !program.isDone else { return }
            isReading = true
            terminal.hideInput(program.hidesInput)
            if terminal.isInteractive { Output.data(program.prompt.string) }
            Task { continuation.yield(.line(await nextLine())) }
        }
        // There are no pictures: nothing waits for the first one.
        services.pictureWasDrawn()
        program.start(at: .now)
        goOn()
        for await event in events {
            switch event {
            case .message(let message): program.receive([message], at: .now)
            case .line(let line?):
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
        if let farewell = program.farewell { Output.data(farewell.string + "\n") }
        if ending == SIGINT { throw CancellationError() }
    }

    private static func nextLine() async -> String? {
        switch try? await StandardInput.shared.lines(maximum: 1, longest: longestLine).first {
        case .line(let bytes)?: String(decoding: bytes, as: UTF8.self).trimmingCarriageReturn
        case .tooLong?: ""
        case nil: nil
        }
    }

    /// Ctrl-C, SIGTERM and a hang-up end the program in order: what is being written is kept.
    private static func watchSignals(_ tell: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { tell(number) }
            source.resume()
            return source
        }
    }
}

extension String {
    fileprivate var trimmingCarriageReturn: String { hasSuffix("\r") ? String(dropLast()) : self }
}
