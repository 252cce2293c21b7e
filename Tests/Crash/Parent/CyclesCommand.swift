import ArgumentParser
import Foundation
import Glibc

struct CyclesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cycles", abstract: "Repeatedly kill, restart and compare with the acknowledged edits.")

    @Option(help: "The number of cycles.") var cycles = 100

    @Option(help: "The seed of the plan, to repeat a run; by default random and printed.") var seed: UInt64?

    @Option(help: "The number of clients, each for a different user.") var writers = 2

    @Option(help: "The number of servers; several share a PostgreSQL server, which is also killed.") var servers = 1

    @Option(help: "The lifetime of tokens in seconds; 0 for the whole run.") var tokenSeconds = 0

    @Option(help: "Whether to kill clients and servers; if false, only tokens end.") var kills = true

    @Option(help: ArgumentHelp("The server program; by default the one next to this program.", valueName: "path"))
    var postilla: String?

    @Flag(help: "Each kill is a power failure, and the clients' disks fail now and then.") var power = false

    @Flag(help: .hidden) var lies = false

    func run() async throws {
        // Writing to a dead child must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let here = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
        let postilla = postilla ?? here + "/postilla"
        guard FileManager.default.isExecutableFile(atPath: postilla) else {
            throw CrashProblem("there is no program at \(postilla): build it, or specify it with --postilla")
        }
        let seed = seed ?? .random(in: 0...999_999)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let campaign = try Campaign(
            settings: Campaign.Settings(
                cycles: cycles, seed: seed, writers: writers, tokenSeconds: tokenSeconds, kills: kills, lies: lies,
                servers: servers, failsPower: power),
            postilla: postilla, writer: here + "/Crash", folder: folder)
        do {
            try await campaign.run()
            try? FileManager.default.removeItem(at: folder)
        } catch {
            print("\(error)\n\(Self.logs(in: folder))seed \(seed); all files are kept in \(folder.path)")
            throw ExitCode(1)
        }
    }

    /// Returns the last log lines of servers and clients; a crash reports its location there.
    private static func logs(in folder: URL) -> String {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let logs = files?.compactMap { $0 as? URL }.filter { $0.pathExtension == "log" } ?? []
        return logs.sorted { $0.path < $1.path }.map { log in
            let lines = (try? String(contentsOf: log, encoding: .utf8))?.split(separator: "\n").suffix(10) ?? []
            return lines.isEmpty ? "" : "\(log.lastPathComponent):\n" + lines.map { "  \($0)\n" }.joined()
        }.joined()
    }
}
