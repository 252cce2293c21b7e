import Glibc
import Subprocess
import SystemPackage

/// A consumer of a tool's output, called for each piece as it arrives.
protocol OutputSink: Sendable {
    mutating func receive(_ bytes: [UInt8]) async throws
}

/// Collects the whole output of tools that print little.
struct CollectedOutput: OutputSink {
    var bytes: [UInt8] = []

    mutating func receive(_ bytes: [UInt8]) {
        self.bytes += bytes
    }
}

/// The exit code of a run, and the sink with its output.
struct ToolResult<Sink: OutputSink>: Sendable {
    var sink: Sink
    /// nil when a signal ended the process.
    var exitCode: Int?
}

extension PDFTools {
    /// Runs a tool on a file under the limits, in an environment of only `PATH` and `LC_ALL`.
    ///
    /// Standard error is discarded: it is prose and may quote the file. The child is ended when it exceeds the time or
    /// output limit, when the sink throws, and when the task is cancelled. The time is the child's: a child that ended
    /// in time counts even if this process, on a busy machine, reads its output later.
    ///
    /// - Parameter writing: size limit in bytes of each file that the tool writes.
    func run<Sink: OutputSink>(
        _ tool: ExternalTool, _ arguments: [String], writing: Int64 = 64 << 20, into sink: Sink
    ) async throws -> ToolResult<Sink> {
        let command = try find(.prlimit)
        let program = try find(tool)
        let caps = ProcessCaps()
        let result: ToolResult<Sink>
        do {
            result = try await execute(command, prefix(writing, caps) + [program.string] + arguments, into: sink)
        } catch let error as SubprocessError {
            throw PDFError.toolNotStarted(name: tool.rawValue, code: error.underlyingError?.rawValue ?? EIO)
        }
        // 3 is a success with warnings of qpdf.
        if ![0, 3].contains(result.exitCode), let cap = caps.exceeded(by: limits, writing: writing) {
            throw PDFError.capped(cap)
        }
        return result
    }

    /// A tool only reads one file and prints, so large files, core dumps and memory growth are errors. Small files are
    /// allowed because it may refresh an outdated font cache. The hard CPU limit exceeds the soft one: equal limits
    /// would send SIGKILL, which does not identify the cause.
    ///
    /// A limit above that of this process cannot be set.
    private func prefix(_ writing: Int64, _ caps: ProcessCaps) -> [String] {
        let seconds = min(Int64(limits.processorSeconds), caps.processorSeconds)
        let processor = "--cpu=\(seconds):\(min(seconds + 1, caps.processorSeconds))"
        return [
            "--as=\(min(Int64(limits.memory), caps.memory))", processor, "--fsize=\(min(writing, caps.fileSize))",
            "--core=0", "--",
        ]
    }

    private func execute<Sink: OutputSink>(
        _ command: FilePath, _ arguments: [String], into start: Sink
    ) async throws -> ToolResult<Sink> {
        var options = PlatformOptions()
        // A separate process group: job control and keys at the terminal do not reach it.
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .milliseconds(200))]
        let result = try await Subprocess.run(
            .path(command), arguments: Arguments(arguments),
            environment: .custom(["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]),
            platformOptions: options, input: .none, output: .sequence, error: .discarded
        ) { execution in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask { await execution.isKilled(after: limits.time) }
                var sink = start
                var count = 0
                for try await piece in execution.standardOutput {
                    count += piece.count
                    guard count <= limits.output else { throw PDFError.tooMuchOutput(bytes: limits.output) }
                    try await sink.receive(piece.withUnsafeBytes { Array($0) })
                }
                group.cancelAll()
                return (sink: sink, isOverdue: try await group.next() ?? false)
            }
        }
        try Task.checkCancellation()
        let (sink, isOverdue) = result.closureResult
        if isOverdue, result.terminationStatus.isSignaled { throw PDFError.tooSlow(limits.time) }
        if result.terminationStatus.isOutOfProcessorTime {
            throw PDFError.tooSlow(.seconds(limits.processorSeconds))
        }
        return ToolResult(sink: sink, exitCode: result.terminationStatus.exitCode)
    }
}

extension Execution {
    /// Kills the child and its process group once its time is up, and returns true, unless the task is cancelled before.
    fileprivate func isKilled(after time: Duration) async -> Bool {
        guard (try? await Task.sleep(for: time)) != nil else { return false }
        try? send(signal: .kill, toProcessGroup: true)
        return true
    }
}

extension TerminationStatus {
    fileprivate var exitCode: Int? {
        guard case .exited(let code) = self else { return nil }
        return Int(code)
    }

    fileprivate var isSignaled: Bool {
        guard case .signaled = self else { return false }
        return true
    }

    fileprivate var isOutOfProcessorTime: Bool {
        guard case .signaled(let signal) = self else { return false }
        return signal == 24  // SIGXCPU
    }
}

extension PDFTools {
    /// Returns tools whose limits are in proportion to a file's size, but not above these: a small file has no reason to
    /// take long. The time is generous, because a busy machine makes a process wait; the processor time is not.
    package func sized(for bytes: Int64) -> PDFTools {
        let megabytes = Int(min(bytes >> 20, 1 << 20))
        var tools = self
        tools.limits.time = min(limits.time, .seconds(30 + 2 * megabytes))
        tools.limits.processorSeconds = min(limits.processorSeconds, 6 + 2 * megabytes)
        tools.limits.memory = min(limits.memory, (512 + 16 * megabytes) << 20)
        return tools
    }
}

/// The limits that this process got from the one that started it, and that only the system's administrator can exceed.
private struct ProcessCaps {
    var memory: Int64
    var processorSeconds: Int64
    var fileSize: Int64

    init() {
        func cap(_ kind: __rlimit_resource) -> Int64 {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(kind.rawValue), &limit) == 0 else { return .max }
            return Int64(clamping: limit.rlim_max)
        }
        (memory, processorSeconds, fileSize) = (cap(RLIMIT_AS), cap(RLIMIT_CPU), cap(RLIMIT_FSIZE))
    }

    /// The limit below what a tool is allowed, as a shell calls it; nil: there is none.
    func exceeded(by limits: ToolLimits, writing: Int64) -> String? {
        if fileSize < writing { return "ulimit -f" }
        if memory < limits.memory { return "ulimit -v" }
        return processorSeconds < limits.processorSeconds ? "ulimit -t" : nil
    }
}

/// The resource limits of one tool run.
package struct ToolLimits: Hashable, Sendable {
    /// Address space of the child, in bytes.
    package var memory: Int
    /// Processor time of the child, in seconds.
    package var processorSeconds: Int
    /// Wall-clock time from start to end.
    package var time: Duration
    /// Bytes the child may print.
    package var output: Int
    /// Pages a file may have.
    package var pages: Int

    package init(
        memory: Int = 2 << 30, processorSeconds: Int = 60, time: Duration = .seconds(90), output: Int = 256 << 20,
        pages: Int = 100_000
    ) {
        self.memory = memory
        self.processorSeconds = processorSeconds
        self.time = time
        self.output = output
        self.pages = pages
    }
}
