import ArgumentParser
import Foundation
import Glibc

struct FilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files",
        abstract: "Edit one PDF from two data folders, kill commands and engines, and compare what the file has.")

    @Option(help: "The number of cycles.") var cycles = 50

    @Option(help: "The seed of the first cycle; cycle n uses seed + n. By default random and printed.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("The program; by default the one next to this program.", valueName: "path"))
    var postilla: String?

    @Flag(help: .hidden) var lies = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let here = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
        let seed = seed ?? .random(in: 0...999_999)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "files-\(UUID().uuidString.prefix(8))")
        let campaign = try FilesCampaign(postilla: postilla ?? here + "/postilla", folder: folder, lies: lies)
        do {
            for cycle in 0..<UInt64(max(1, cycles)) {
                do { try campaign.cycle(seed: seed + cycle) } catch {
                    throw CrashProblem("cycle \(cycle), seed \(seed + cycle): \(error)")
                }
                tellHeld(cycle + 1, of: cycles, from: seed)
            }
            campaign.end()
            print("\(cycles) cycles from seed \(seed) held: \(campaign.summary)")
            try? FileManager.default.removeItem(at: folder)
        } catch {
            campaign.end()
            print("\(error)\nall files are kept in \(folder.path)")
            throw ExitCode(1)
        }
    }
}
