import ArgumentParser
import Foundation
import Glibc

struct CyclesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cycles", abstract: "Kill, start again, compare with what was acknowledged; so many times.")

    @Option(help: "How many times.") var cycles = 100

    @Option(help: "Plans the same blows again; else a random one, which is printed.") var seed: UInt64?

    @Option(help: "Clients, each of another user.") var writers = 2

    @Option(help: "Servers; more than one share a PostgreSQL, which is killed as well.") var servers = 1

    @Option(help: "Tokens live this long; 0: as long as the run.") var tokenSeconds = 0

    @Option(help: "Clients and server are left alive, so that only tokens end.") var kills = true

    @Option(help: ArgumentHelp("The program that serves; by default the one beside this one.", valueName: "path"))
    var postilla: String?

    @Flag(help: .hidden) var lies = false

    func run() async throws {
        // Writing to a dead child must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let here = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
        let postilla = postilla ?? here + "/postilla"
        guard FileManager.default.isExecutableFile(atPath: postilla) else {
            throw CrashProblem("there is no program at \(postilla): build it, or name it with --postilla")
        }
        let seed = seed ?? .random(in: 0...999_999)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let campaign = try Campaign(
            settings: Campaign.Settings(
                cycles: cycles, seed: seed, writers: writers, tokenSeconds: tokenSeconds, kills: kills, lies: lies,
                servers: servers),
            postilla: postilla, writer: here + "/Crash", folder: folder)
        do {
            try await campaign.run()
            try? FileManager.default.removeItem(at: folder)
        } catch {
            print("\(error)\n\(Self.logs(in: folder))seed \(seed); everything is left in \(folder.path)")
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
