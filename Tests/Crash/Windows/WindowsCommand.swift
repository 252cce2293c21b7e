import ArgumentParser
import Foundation
import Glibc

struct WindowsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "windows",
        abstract: "Run several programs on one data folder, stop and kill them, and compare what each shows.")

    @Option(help: "The number of random steps.") var rounds = 200

    @Option(help: "The seed of the steps, to repeat a run; by default random and printed.") var seed: UInt64?

    @Option(help: ArgumentHelp("The program; by default the one next to this program.", valueName: "path"))
    var postilla: String?

    @Flag(help: .hidden) var lies = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let here = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
        let seed = seed ?? .random(in: 0...999_999)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("windows-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("data"), withIntermediateDirectories: true)
        let campaign = try WindowsCampaign(
            postilla: postilla ?? here + "/postilla", folder: folder, seed: seed, lies: lies)
        do {
            try await campaign.run(rounds: rounds)
            try? FileManager.default.removeItem(at: folder)
        } catch {
            print("\(error)\nseed \(seed); all files are kept in \(folder.path)")
            throw ExitCode(1)
        }
    }
}
