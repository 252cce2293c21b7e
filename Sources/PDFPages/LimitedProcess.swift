import Subprocess
import SystemPackage

/// Where the output of a tool goes, piece by piece as it comes.
protocol OutputSink: Sendable {
    mutating func receive(_ bytes: [UInt8]) async throws
}

/// Keeps all of it, for tools that print little.
struct CollectedOutput: OutputSink {
    var bytes: [UInt8] = []

    mutating func receive(_ bytes: [UInt8]) {
        self.bytes += bytes
    }
}

/// How a run ended and what its output became.
struct ToolResult<Sink: OutputSink>: Sendable {
    var sink: Sink
    /// nil when a signal ended it.
    var exitCode: Int?
}

extension PDFTools {
    /// Runs a tool on a file under the limits, in an environment that holds nothing of ours.
    ///
    /// What it says on standard error is thrown away: it is in words, and may quote the file. The child is
    /// ended when the time is over, when it prints too much, when the sink throws, and when the task is
    /// cancelled.
    ///
    /// - Parameter writing: bytes of a file it may write.
    func run<Sink: OutputSink>(
        _ tool: Tool, _ arguments: [String], writing: Int64 = 64 << 20, into sink: Sink
    ) async throws -> ToolResult<Sink> {
        let command = try find(.prlimit)
        let program = try find(tool)
        let time = limits.time
        return try await withThrowingTaskGroup(of: ToolResult<Sink>.self) { group in
            group.addTask { try await execute(command, prefix(writing) + [program.string] + arguments, into: sink) }
            group.addTask {
                try await Task.sleep(for: time)
                throw PDFError.tooSlow(time)
            }
            defer { group.cancelAll() }
            guard let outcome = try await group.next() else { throw CancellationError() }
            return outcome
        }
    }

    /// A tool that writes a large file, dumps core or grows has gone wrong: it reads one file and prints. Small
    /// files are let pass, since a font cache that is out of date may be written anew. The second limit on the
    /// processor lies above the first, or the signal would not tell which one it was.
    private func prefix(_ writing: Int64) -> [String] {
        let processor = "--cpu=\(limits.processorSeconds):\(limits.processorSeconds + 1)"
        return ["--as=\(limits.memory)", processor, "--fsize=\(writing)", "--core=0", "--"]
    }

    private func execute<Sink: OutputSink>(
        _ command: FilePath, _ arguments: [String], into start: Sink
    ) async throws -> ToolResult<Sink> {
        var options = PlatformOptions()
        // Not stopped with our job, not reached by what is typed at the terminal.
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .milliseconds(200))]
        let result = try await Subprocess.run(
            .path(command), arguments: Arguments(arguments),
            environment: .custom(["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]),
            platformOptions: options, input: .none, output: .sequence, error: .discarded
        ) { execution in
            var sink = start
            var count = 0
            for try await piece in execution.standardOutput {
                count += piece.count
                guard count <= limits.output else { throw PDFError.tooMuchOutput(bytes: limits.output) }
                try await sink.receive(piece.withUnsafeBytes { Array($0) })
            }
            return sink
        }
        try Task.checkCancellation()
        if result.terminationStatus.isOutOfProcessorTime {
            throw PDFError.tooSlow(.seconds(limits.processorSeconds))
        }
        return ToolResult(sink: result.closureResult, exitCode: result.terminationStatus.exitCode)
    }
}

extension TerminationStatus {
    fileprivate var exitCode: Int? {
        guard case .exited(let code) = self else { return nil }
        return Int(code)
    }

    fileprivate var isOutOfProcessorTime: Bool {
        guard case .signaled(let signal) = self else { return false }
        return signal == 24  // SIGXCPU
    }
}

/// What one run of a tool may use before it is ended.
package struct ToolLimits: Hashable, Sendable {
    /// Address space of the child, in bytes.
    package var memory: Int
    /// Processor time of the child, in seconds.
    package var processorSeconds: Int
    /// Time on the wall, from start to end.
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
