import Annotations
import ArgumentParser
import Dispatch
import DocumentEngine
import FoundationEssentials
import Glibc

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run a server for documents, layers and sync.",
        discussion: """
            Every option can also be set in the environment (POSTILLA_SERVE_PORT for --port) and in a TOML file (port \
            = 5000). Options override environment variables, which override the file. Limits go in the [limits] table \
            of the file:
            \(limits)

            On SIGHUP the server reads the files of --jwt-public-key and --api-token-file again, and --config for their \
            names, and opens --audit-log again.
            """)

    @OptionGroup var options: ServeOptions

    @Flag(help: "Print all settings and all errors, and exit.")
    var check = false

    @Flag(help: "With --check: write no settings, and errors as lines of the log.")
    var toLog = false

    @Flag(help: .hidden)
    var exitWithStdin = false

    private static let limits = LimitSetting.all.map { "  \($0.name): \($0.meaning)" }.joined(separator: "\n")

    func validate() throws {
        guard check || !toLog else { throw ValidationError("--to-log needs --check") }
    }

    func run() async throws {
        // Before the settings, whose defaults depend on it.
        OpenFiles.allowAll()
        let voice = ServeVoice(options, isCheck: check, toLog: toLog)
        do {
            let configuration = await ServeConfiguration(try options.settings())
            for warning in configuration.warnings { voice.warning(warning) }
            if check { return report(ServeCheck(configuration: configuration), voice) }
            if let problem = configuration.problems.first { throw problem }
            try await serve(configuration)
        } catch let failure as CommandFailure {
            voice.error(failure.message)
            ExitStatus.leave(failure.status)
        }
    }

    private func report(_ check: ServeCheck, _ voice: ServeVoice) {
        if !toLog { for line in check.lines { Output.line(line) } }
        let problems = check.problems()
        for problem in problems { voice.error(problem.message) }
        guard problems.isEmpty else { ExitStatus.leave(ServeCheck.status(of: problems)) }
        voice.noErrors()
    }

    private func serve(_ configuration: ServeConfiguration) async throws {
        let (options, settings) = (configuration.options, configuration.settings)
        let server: Server
        do { server = try Server(options) } catch { throw CommandFailure("\(error)") }
        // Check first: a later failure would come from inside the starting server, without the address.
        if let problem = options.listeningProblems().first { throw problem }
        let scheme = options.tls == nil ? "http" : "https"
        if exitWithStdin {
            Task {
                await Self.endOfStandardInput()
                await server.stop()
            }
        }
        let signals = await ServeSignals(server, self.options, settings, logger: options.logger)
        let obeying = Task { await signals.obey() }
        defer { obeying.cancel() }
        do {
            try await server.run { [host = options.host, metrics = options.metrics] port in
                var line = JSONWriter()
                line.object { line in
                    line.member("server", "\(scheme)://\(Server.ListenAddress(host: host, port: port))")
                    if var metrics, let port = server.metricsPort {
                        metrics.port = port
                        line.member("metrics", "http://\(metrics)/metrics")
                    }
                }
                Output.json(line.text)
            }
        } catch {
            throw options.listeningProblems().first ?? CommandFailure("the server stopped unexpectedly: \(error)")
        }
    }

    /// Uses a separate thread: a blocking read must not hold a thread of the pool.
    private static func endOfStandardInput() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "postilla.stdin").async {
                var byte: UInt8 = 0
                while true {
                    let count = read(STDIN_FILENO, &byte, 1)
                    if count == 0 || count < 0 && errno != EINTR { break }
                }
                continuation.resume()
            }
        }
    }
}
