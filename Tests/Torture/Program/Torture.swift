import ArgumentParser
import Foundation
import TortureHarness

@main
struct Torture: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Drives the real server over real sockets as no client should, and compares with the core in memory.",
        discussion: "Each episode is planned by a seed; the same seed plans the same again.")

    @Option(help: "Episodes begin for so long.") var seconds = 60

    @Option(help: "The first episode's seed; else a random one, which is printed.") var seed: UInt64?

    @Option(help: "sqlite or postgres; by default even seeds have SQLite and odd ones two servers on one PostgreSQL.")
    var store: StoreKind?

    @Option(help: "At most so many episodes.") var episodes: Int?

    @Option(help: "Records of the layer that is copied.") var records = 8_000

    @Flag(help: "Goes on behind an episode that fails.") var keepGoing = false

    @Option(help: ArgumentHelp("The program that serves; by default the one beside this one.", valueName: "path"))
    var postilla: String?

    func run() throws {
        // Writing to a dead server must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let here = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
        let postilla = postilla ?? here + "/postilla"
        guard FileManager.default.isExecutableFile(atPath: postilla) else {
            throw ValidationError("there is no program at \(postilla): build it, or name it with --postilla")
        }
        let seed = seed ?? .random(in: 0...999_999)
        say("seed \(seed)")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(UUID().uuidString)")
        var campaign = Campaign(postilla: postilla, folder: folder, seed: seed, seconds: seconds)
        campaign.store = store
        campaign.largeLayer = records
        campaign.keepsGoing = keepGoing
        campaign.episodes = episodes ?? .max
        let failures = try campaign.run(say)
        guard failures.isEmpty else {
            for (seed, _) in failures {
                say("make torture SECONDS=1 SEED=\(seed)\(store.map { " STORE=\($0.rawValue)" } ?? "")")
            }
            say("what the servers left is in \(folder.path)")
            throw ExitCode(1)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

extension StoreKind: ExpressibleByArgument {}
