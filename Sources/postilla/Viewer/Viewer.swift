import Annotations
import App
import Dispatch
import FoundationEssentials
import Glibc
import Instant
import PDFPages
import Screen
import Terminal

/// Wires the program, its services and the terminal together and runs until the user quits.
enum Viewer {
    /// Runs on the main thread, which the terminal's loop then occupies; everything else runs on other threads and
    /// posts messages.
    @MainActor static func run(_ wanted: ViewerOptions) async throws {
        let options = try await wanted.begun()
        defer { options.session?.end() }
        guard !options.isPlain else { return try await PlainViewer.run(options) }
        let start = try await start(options)
        let device: TerminalDevice
        let loop: TerminalLoop<Message>
        do {
            var terminal = TerminalDevice.Options()
            terminal.usesColor = options.preferences.usesColor
            terminal.usesMouse = options.preferences.isOn(.mouse)
            terminal.usesLinks = TerminalColors.isAsked(ProcessInfo.processInfo.environment)
            device = try TerminalDevice(options: terminal)
            loop = try TerminalLoop(device: device)
        } catch { throw CommandFailure("\(error), or use --plain", .usage) }
        // From here on, the terminal is always restored.
        defer { device.close() }

        let mailbox = loop.mailbox
        let pictures = PagePictures(device, isInTmux: ProcessInfo.processInfo.environment["TMUX"] != nil)
        let services = ViewerServices(options: options, device: device, pictures: pictures) { mailbox.post($0) }
        device.onStop = { services.stops($0) }
        let state = AppState(
            begin: start, size: device.size, themeChoice: options.preferences.themeChoice,
            art: device.isUTF8 ? .unicode : .ascii, depth: device.colorDepth, markStyle: options.preferences.markStyle,
            utcOffset: utcOffset(),
            keymap: options.preferences.keymap, pageView: options.preferences.pageView,
            flashesChanges: options.preferences.isOn(.flash),
            followsCursor: options.preferences.isOn(.followCursor), invitation: options.invitation, seed: seed())
        let log = options.log
        let performed: any AppServices = log.map { LoggedServices(services, $0) } ?? services
        var program = Program(state: state, services: performed, post: { mailbox.post($0) })
        defer {
            log?.note("end")
            log?.flush()
        }
        var colors = TerminalColors()
        let environment = ProcessInfo.processInfo.environment
        if let ground = TerminalColors.ground(environment) { program.receive([.ground(ground)], at: .now) }
        if options.preferences.usesColor, TerminalColors.isAsked(environment) { loop.askForColors() }
        if TerminalColors.isAsked(environment) { loop.askForKeyboard() }
        program.start(at: .now)
        services.tellLeftTexts()
        DispatchQueue.global(qos: .utility).async { PDFTools.removeLeftScratchFolders() }
        var received = TerminalLoop<Message>.now

        loop.run(
            timer: { program.state.wakeAfter.map { received + $0 } },
            handle: { event in
                received = TerminalLoop<Message>.now
                switch event {
                case .key(let key):
                    log?.note(Message.key(key))
                    program.receive([.key(key)], at: .now)
                case .message(let message):
                    log?.note(message)
                    program.receive([message], at: .now)
                case .resized(let size):
                    log?.note(Message.resize(size))
                    program.receive([.resize(size)], at: .now)
                case .report(let report):
                    if report == .keyboard {
                        device.distinguishKeys()
                    } else if let ground = colors.heard(report) {
                        program.receive([.ground(ground)], at: .now)
                    } else {
                        pictures.heard(report)
                    }
                case .timer: program.receive([], at: .now)
                case .quitRequested, .terminalGone: program.receive([.terminate], at: .now)
                }
                return program.isDone ? .quit : .goOn
            },
            draw: { _ in program.canvas }, drawn: services.frameWasDrawn)
        device.giveBack()
        for message in services.finish() { Output.message(message) }
        await services.layers.closed()
        await services.hooks.ended()
        if let farewell = program.state.farewell { Output.message(farewell) }
    }

    /// Asks a non-interactive source before the screen is taken over, so that its error is visible.
    static func start(_ options: ViewerOptions) async throws -> AppState.Start {
        let server: String
        switch options.start {
        case .library: return .library
        case .file(let path): return .file(path)
        case .server(let address): server = address
        }
        var token = try await options.source.token(refused: nil, document: nil, layer: nil)
        if token == nil, options.remembersToken { token = await keptToken(of: server, options) }
        guard let token else { return .ask(server: server) }
        return .join(server: server, token: TokenText(token))
    }

    /// Returns the stored token of the last synced layer, because a token names its layer and no layer is given here.
    private static func keptToken(of server: String, _ options: ViewerOptions) async -> String? {
        let keeper = TokenKeeper(options.folders)
        let entries = (try? InstantClient.listCacheEntries(in: URL(filePath: options.folders.data))) ?? []
        let layers = entries.filter { $0.isOf(server: server) && $0.problem == nil }
            .sorted { ($0.lastSync ?? .distantPast) > ($1.lastSync ?? .distantPast) }
        for entry in layers.prefix(20) {
            if let token = await keeper.token(of: entry.identity) { return token }
        }
        return nil
    }

    /// The seed for the ids of new records.
    static func seed() -> (UInt64, UInt64) { (.random(in: 0 ... .max), .random(in: 0 ... .max)) }

    /// The current offset of this machine's time zone from UTC, in seconds.
    static func utcOffset() -> Int {
        var seconds = time(nil)
        var local = tm()
        localtime_r(&seconds, &local)
        return local.tm_gmtoff
    }
}
