import DocumentEngine
import Glibc
import Logging
import UnixSignals

/// What a running server does on signals: SIGTERM and SIGINT stop it, a second one at once; SIGHUP makes it read its
/// keys and secrets again and reopen its audit log. If the terminal it was started from is gone, SIGHUP stops it too.
struct ServeSignals {
    let server: Server
    let options: ServeOptions
    let logger: Logger
    /// The settings that the server was started with.
    let settings: Settings
    private let hasTerminal: Bool
    private let signals: UnixSignalsSequence

    /// Traps the signals from now on; they wait for ``obey()``.
    init(_ server: Server, _ options: ServeOptions, _ settings: Settings, logger: Logger) async {
        (self.server, self.options, self.settings, self.logger) = (server, options, settings, logger)
        hasTerminal = ControllingTerminal.mayHangUp
        signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint, .sighup])
    }

    func obey() async {
        var isStopping = false
        for await signal in signals {
            if signal == .sighup, !hasTerminal || ControllingTerminal.exists {
                await reload()
                continue
            }
            if isStopping { ExitStatus.leave(.interrupted) }
            isStopping = true
            Task { await server.stop() }
        }
    }

    private func reload() async {
        server.reopenAuditLog()
        do {
            let new = try options.settings()
            for setting in new.differences(from: settings) where !setting.isReloaded {
                logger.warning("a changed setting needs a restart", metadata: ["setting": "\(setting.name)"])
            }
            let credentials = await ServeCredentials(new)
            for warning in credentials.warnings {
                logger.warning("a secret is not private", metadata: ["reason": "\(warning)"])
            }
            if let problem = credentials.problems.first { throw problem }
            server.reload(keys: credentials.keys, secrets: credentials.secrets)
        } catch { server.reloadFailed("\(error)") }
    }
}

/// The terminal that controls this process; a daemon has none.
private enum ControllingTerminal {
    static var exists: Bool {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    /// Whether its end would send SIGHUP to this process; under nohup, the signal is ignored.
    static var mayHangUp: Bool {
        var present = sigaction()
        guard sigaction(SIGHUP, nil, &present) == 0 else { return exists }
        return exists && unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) != 1
    }
}
