import ArgumentParser
import Foundation
import Glibc

struct OneFileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "one-file",
        abstract: "Change one PDF in two windows and by another program in random order, and look for lost changes.")

    @Option(help: "The number of histories.") var histories = 50

    @Option(help: "The seed of the first history; history n uses seed + n. By default random and printed.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("The program; by default the one next to this program.", valueName: "path"))
    var postilla: String?

    @Flag(help: "Print what happened.") var trace = false

    @Flag(help: .hidden) var lies = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let here = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
        let seed = seed ?? .random(in: 0...999_999)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "one-file-\(UUID().uuidString.prefix(8))")
        let campaign = try OneFileCampaign(postilla: postilla ?? here + "/postilla", folder: folder, lies: lies)
        do {
            for number in 0..<UInt64(max(1, histories)) {
                do { try await campaign.history(seed: seed + number) } catch {
                    throw CrashProblem("history \(number), seed \(seed + number): \(error)\n\(campaign.story)")
                }
                if trace { print(campaign.story) }
                tellHeld(number + 1, of: histories, from: seed)
            }
            print("\(histories) histories from seed \(seed) held: \(campaign.summary)")
            try? FileManager.default.removeItem(at: folder)
        } catch {
            print("\(error)\nall files are kept in \(folder.path)")
            throw ExitCode(1)
        }
    }
}
