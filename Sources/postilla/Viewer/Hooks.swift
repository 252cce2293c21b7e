import Annotations
import App
import FoundationEssentials
import Glibc
import Screen
import Subprocess
import Synchronization
import SystemPackage

/// Runs the user's commands for events: without a shell, with the event as one line of JSON on standard input, one
/// command at a time, each for at most five seconds. What the commands print is discarded.
final class Hooks: Sendable {
    struct Commands: Sendable {
        var new: [String] = []
        var mention: [String] = []
        var tokenNeeded: [String] = []
        /// What `:run` runs.
        var run: [String] = []
    }

    private let commands: Commands
    private let tellUser: @Sendable (String) -> Void
    private let waiting: AsyncStream<Run>.Continuation
    private let runs: Task<Void, Never>

    private struct Run: Sendable {
        var command: [String]
        var line: String
    }

    /// More than this many events are not kept waiting; the latest win.
    private static let maxWaiting = 16

    /// - Parameter tell: Receives a sentence when a command fails, once for each command.
    init(_ commands: Commands, limit: Duration = .seconds(5), tell: @escaping @Sendable (String) -> Void) {
        self.commands = commands
        tellUser = tell
        let stream: AsyncStream<Run>
        (stream, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maxWaiting))
        runs = Task {
            var told: Set<String> = []
            for await run in stream {
                guard let problem = await Self.run(run, limit: limit) else { continue }
                let name = run.command.first ?? ""
                if told.insert(name).inserted { tell("The hook \(name) failed: \(problem)") }
            }
        }
    }

    /// Ends the running command, and starts no others.
    func close() {
        waiting.finish()
        runs.cancel()
    }

    /// Waits until the command that ran when this was closed is gone. A command that ignores SIGTERM takes 200 ms.
    func ended() async { await runs.value }

    func tell(_ event: HookEvent, in reference: LayerReference) {
        let command: [String]
        var json = JSONObject()
        switch event {
        case .new(let ids, let author):
            command = commands.new
            json["event"] = "new"
            json["count"] = .number(JSONNumber(Int64(ids.count)))
            json["ids"] = .array(ids.prefix(100).map(JSON.string))
            json["by"] = author.map { .string(LeavingText($0).string) }
        case .mention(let ids, let author):
            command = commands.mention
            json["event"] = "mention"
            json["count"] = .number(JSONNumber(Int64(ids.count)))
            json["ids"] = .array(ids.prefix(100).map(JSON.string))
            json["by"] = author.map { .string(LeavingText($0).string) }
        case .tokenNeeded:
            command = commands.tokenNeeded
            json["event"] = "token-needed"
        case .run(let words, let record, let page):
            command = commands.run
            guard !command.isEmpty else { return tellUser("No command of your own: set on-run in the settings") }
            json["event"] = "run"
            json["words"] = .string(LeavingText(words).string)
            json["id"] = record.map(JSON.string)
            json["pageIndex"] = .number(JSONNumber(Int64(page)))
        }
        guard !command.isEmpty else { return }
        json["server"] = .string(reference.server)
        json["document"] = .string(reference.documentID)
        json["layer"] = .string(reference.layer)
        json["user"] = reference.userID.map(JSON.string)
        waiting.yield(Run(command: command, line: JSON.object(json).text + "\n"))
    }

    /// Returns a file in memory that holds the text. A pipe would hold 64 KB of it without a reader, and a command that does
    /// not read its input would end this program by SIGPIPE.
    private static func input(with text: String) throws -> FileDescriptor {
        // Swift's Glibc does not declare it.
        typealias Function = @convention(c) (UnsafePointer<CChar>, CUnsignedInt) -> CInt
        guard let symbol = dlsym(nil, "memfd_create") else { throw Errno.notSupported }
        let closeOnExec: CUnsignedInt = 1
        let file = FileDescriptor(rawValue: unsafeBitCast(symbol, to: Function.self)("event", closeOnExec))
        guard file.rawValue >= 0 else { throw Errno(rawValue: errno) }
        do {
            try file.writeAll(text.utf8)
            try file.seek(offset: 0, from: .start)
        } catch {
            try? file.close()
            throw error
        }
        return file
    }

    /// A running command.
    private final class Child: Sendable {
        /// Its process group; nil: it has not been started, or has ended by itself.
        let group = Mutex<pid_t?>(nil)
    }

    /// Returns why the command failed; nil if it succeeded.
    private static func run(_ run: Run, limit: Duration) async -> String? {
        guard let name = run.command.first else { return nil }
        let program: Executable = name.contains(scalar: "/") ? .path(FilePath(name)) : .name(name)
        // A token may be in the program's own variables.
        let own = ProcessInfo.processInfo.environment.keys.filter { $0.begins(with: "POSTILLA_") }
        let hidden = Dictionary(uniqueKeysWithValues: own.map { (Environment.Key(stringLiteral: $0), String?.none) })
        let environment = Environment.inherit.updating(hidden)
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .milliseconds(200))
        ]
        let child = Child()
        let arguments = Arguments(Array(run.command.dropFirst()))
        return await withTaskGroup(of: String?.self) { group in
            group.addTask { [options] in
                do {
                    let input = try Self.input(with: run.line)
                    let outcome = try await Subprocess.run(
                        program, arguments: arguments, environment: environment, platformOptions: options,
                        input: .fileDescriptor(input, closeAfterSpawningProcess: true), output: .discarded,
                        error: .discarded
                    ) { execution in
                        child.group.withLock { $0 = execution.processIdentifier.value }
                    }
                    if !Task.isCancelled { child.group.withLock { $0 = nil } }
                    switch outcome.terminationStatus {
                    case .exited(0): return nil
                    case .exited(let code): return "exit code \(code)"
                    default: return "a signal ended it"
                    }
                } catch { return Task.isCancelled ? nil : "it cannot be run" }
            }
            group.addTask {
                do { try await Task.sleep(for: limit) } catch { return nil }
                return "it ran longer than \(limit)"
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // The command is gone before the next one begins.
            for await _ in group {}
            // So are the programs that it has started.
            if let group = child.group.withLock({ $0 }) { kill(-group, SIGKILL) }
            return first
        }
    }
}
