import Annotations
import App
import FoundationEssentials
import Glibc
import Instant
import Screen
import Terminal

/// Puts the program, its world and the terminal together and runs until the person leaves.
enum Viewer {
    /// Runs on the main thread, which the terminal's loop then holds: everything else works elsewhere and posts.
    @MainActor static func run(_ options: ViewerOptions) async throws {
        guard !options.isPlain else { return try await PlainViewer.run(options) }
        let start = try await start(options)
        let device: TerminalDevice
        let loop: TerminalLoop<Message>
        do {
            var terminal = TerminalDevice.Options()
            terminal.usesColor = options.preferences.usesColor
            terminal.usesMouse = options.preferences.isOn(.mouse)
            device = try TerminalDevice(options: terminal)
            loop = try TerminalLoop(device: device)
        } catch { throw CommandFailure("\(error), or use --plain", .usage) }
        // Whatever happens from here on, the terminal is given back as it was.
        defer { device.close() }

        let mailbox = loop.mailbox
        let pictures = PagePictures(device)
        let services = ViewerServices(options: options, device: device, pictures: pictures) { mailbox.post($0) }
        let state = AppState(
            begin: start, size: device.size, theme: options.preferences.theme, utcOffset: utcOffset(),
            keymap: options.preferences.keymap, pageView: options.preferences.pageView,
            flashesChanges: options.preferences.isOn(.flash), invitation: options.invitation, seed: seed())
        var program = Program(state: state, services: services, post: { mailbox.post($0) })
        program.start(at: .now)
        var received = TerminalLoop<Message>.now

        loop.run(
            timer: { program.state.wakeAfter.map { received + $0 } },
            handle: { event in
                received = TerminalLoop<Message>.now
                switch event {
                case .key(let key): program.receive([.key(key)], at: .now)
                case .message(let message): program.receive([message], at: .now)
                case .resized(let size): program.receive([.resize(size)], at: .now)
                case .report(let report): pictures.heard(report)
                case .timer: program.receive([], at: .now)
                case .quitRequested, .terminalGone: program.receive([.terminate], at: .now)
                }
                return program.isDone ? .quit : .goOn
            },
            draw: { _ in program.canvas }, drawn: services.frameWasDrawn)
        device.giveBack()
        services.finish()
        if let farewell = program.state.farewell { Output.message(farewell) }
    }

    /// A source that needs no person is asked before the screen is taken, so that its complaint is read.
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

    /// A token names its layer, and here none was named: that of the layer that was in step last.
    private static func keptToken(of server: String, _ options: ViewerOptions) async -> String? {
        let keeper = TokenKeeper(options.folders)
        let entries = (try? InstantClient.listCacheEntries(in: URL(filePath: options.folders.data))) ?? []
        let layers = entries.filter { $0.server.isExactly(server) && $0.problem == nil }
            .sorted { ($0.lastSync?.milliseconds ?? 0) > ($1.lastSync?.milliseconds ?? 0) }
        for entry in layers.prefix(20) {
            if let token = await keeper.token(of: entry.identity) { return token }
        }
        return nil
    }

    /// Of which the ids of new records are made.
    static func seed() -> (UInt64, UInt64) { (.random(in: 0 ... .max), .random(in: 0 ... .max)) }

    /// Seconds that this machine's zone is ahead of UTC just now.
    static func utcOffset() -> Int {
        var seconds = time(nil)
        var local = tm()
        localtime_r(&seconds, &local)
        return local.tm_gmtoff
    }
}
