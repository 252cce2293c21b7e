import ArgumentParser
import Foundation
import TortureHarness

@main
struct Torture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Misuses the real server over raw sockets, and compares its results with the core in memory.",
        discussion: "A seed determines the plan of each episode; the same seed gives the same plan.")

    @Option(help: "How long to start new episodes, in seconds.") var seconds = 60

    @Option(help: "The seed of the first episode; by default random and printed.") var seed: UInt64?

    @Option(help: "sqlite or postgres; by default even seeds use SQLite, and odd ones two servers on one PostgreSQL.")
    var store: StoreKind?

    @Option(help: "The maximum number of episodes.") var episodes: Int?

    @Option(help: "The number of records in the copied layer.") var records = 8_000

    @Option(
        help: ArgumentHelp(
            "requests: clients and the backend at work; connections: the states of connections; slow: 1,000 slow "
                + "clients; disk and client-disk: disks on which one operation after the other fails; network: clients "
                + "behind proxies that cut, delay and refuse."))
    var campaign = Kind.requests

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case requests, connections, slow, disk, network
        case clientDisk = "client-disk"
    }

    @Option(help: "Of the disk campaigns: the first operation that fails.") var from = 1

    @Option(help: "Of the disk campaigns: how many operations fail, each on a day of its own.") var count: Int?

    @Option(help: "Of the disk campaigns: the distance between two of these operations.") var step = 1

    @Option(
        help: ArgumentHelp(
            "Of the disk campaigns: the operations that count, such as 'fdatasync -wal'; by default all.",
            valueName: "name and end of path"))
    var only: String?

    @Flag(help: "Continues after a failed episode.") var keepGoing = false

    @Option(help: ArgumentHelp("The server program; by default the one next to this program.", valueName: "path"))
    var postilla: String?

    func run() async throws {
        // Writing to a dead server must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let here = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
        let postilla = postilla ?? here + "/postilla"
        guard FileManager.default.isExecutableFile(atPath: postilla) else {
            throw ValidationError("there is no program at \(postilla): build it, or specify it with --postilla")
        }
        let seed = seed ?? .random(in: 0...999_999)
        say("seed \(seed)")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(UUID().uuidString)")
        let failures = try await play(postilla, folder, seed)
        guard failures.isEmpty else {
            for (seed, _) in failures {
                guard campaign != .disk, campaign != .clientDisk else {
                    say("make torture ARGS='--campaign \(campaign.rawValue) --from \(seed) --count 1'")
                    continue
                }
                say(
                    "make torture SECONDS=1 SEED=\(seed)\(store.map { " STORE=\($0.rawValue)" } ?? "")"
                        + (campaign == .requests ? "" : " ARGS='--campaign \(campaign.rawValue)'"))
            }
            say("the servers' files are kept in \(folder.path)")
            throw ExitCode(1)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    private func play(
        _ postilla: String, _ folder: URL, _ seed: UInt64
    ) async throws -> [(seed: UInt64, failure: String)] {
        switch campaign {
        case .requests:
            var campaign = Campaign(postilla: postilla, folder: folder, seed: seed, seconds: seconds)
            campaign.store = store
            campaign.largeLayer = records
            campaign.keepsGoing = keepGoing
            campaign.episodes = episodes ?? .max
            return try campaign.run(say)
        case .connections:
            var campaign = ConnectionCampaign(postilla: postilla, folder: folder, seed: seed, seconds: seconds)
            campaign.episodes = episodes ?? .max
            return try campaign.run(say)
        case .network:
            var campaign = NetworkCampaign(postilla: postilla, folder: folder, seed: seed, seconds: seconds)
            (campaign.episodes, campaign.keepsGoing) = (episodes ?? .max, keepGoing)
            return try await campaign.run(say)
        case .slow:
            let outcome = try SlowCrowd(postilla: postilla, folder: folder, seconds: seconds).run()
            say(outcome.description)
            return outcome.problem.map { [(seed, $0)] } ?? []
        case .disk, .clientDisk:
            var campaign = DiskCampaign(postilla: postilla, folder: folder)
            (campaign.from, campaign.count, campaign.step) = (from, count ?? .max, step)
            (campaign.only, campaign.keepsGoing) = (only, keepGoing)
            if self.campaign == .clientDisk { campaign.place = .client }
            return try campaign.run(say).failures.map { (UInt64($0.operation), $0.failure) }
        }
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

extension StoreKind: ExpressibleByArgument {}
