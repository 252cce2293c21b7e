import EngineSupport
package import Foundation
import TestSupport

/// Drives connections into all their states, in random order: heads and bodies in pieces, pipelined requests, refused
/// bodies without end, upgrades, streams whose token ends, clients that end their side, stay or read nothing, and a
/// server that stops. No trace of them may remain in the server.
package struct ConnectionCampaign {
    package var postilla: String
    package var folder: URL
    package var seed: UInt64
    package var seconds: Int
    /// The maximum number of episodes.
    package var episodes = Int.max
    /// How long a connection may last after its client's last act, and an answer may take.
    package var patience: Duration = .seconds(30)
    /// The time that a health check may take.
    package var bound: Duration = .seconds(2)

    private static let connections = 100
    /// The maximum memory of the server in bytes.
    private static let memory = 400 << 20
    private static let layer = "fuzz"

    package init(postilla: String, folder: URL, seed: UInt64, seconds: Int) {
        (self.postilla, self.folder, self.seed, self.seconds) = (postilla, folder, seed, seconds)
    }

    /// - Parameter say: Receives a line about each episode.
    /// - Returns: The seeds that failed, with the reasons.
    package func run(_ say: (String) -> Void) throws -> [(seed: UInt64, failure: String)] {
        let end = ContinuousClock.now + .seconds(seconds)
        let servers = try Servers(
            .sqlite, postilla: postilla, folder: folder, largeLayer: 200,
            limits: ["head-seconds=2", "idle-seconds=2", "stall-seconds=3"])
        defer { servers.stop() }
        try servers.create(["n1", "n2"], layer: Self.layer)
        var failures: [(seed: UInt64, failure: String)] = []
        var (seed, count) = (seed, 0)
        while ContinuousClock.now < end, count < episodes {
            do {
                let summary = try Episode(seed, servers, self).run()
                say("seed \(seed): \(summary)")
            } catch {
                failures.append((seed, "seed \(seed): \(error)"))
                say(failures[failures.count - 1].failure)
                break
            }
            (seed, count) = (seed + 1, count + 1)
        }
        say("\(count) episodes; the next one: SEED=\(seed)")
        return failures
    }

    private final class Episode {
        private let servers: Servers
        private let campaign: ConnectionCampaign
        private let process: ServerProcess
        private var scripts: [(number: Int, script: ConnectionScript)] = []
        private var runs: [ConnectionRun] = []
        private var answers = 0
        /// The milliseconds until SIGTERM; nil: the server does not stop.
        private let stop: Int?

        init(_ seed: UInt64, _ servers: Servers, _ campaign: ConnectionCampaign) throws {
            (self.servers, self.campaign) = (servers, campaign)
            let process = servers.process(0)
            self.process = process
            var random = SeededRandom(seed: seed)
            let maker = RequestMaker(secret: process.secret, document: Servers.document, prefix: "s\(seed)")
            var requests = ScriptRequests(
                maker, layer: try servers.start(of: ConnectionCampaign.layer), named: ConnectionCampaign.layer,
                token: try process.mint.token(
                    document: Servers.document, layer: ConnectionCampaign.layer, user: "fuzz"),
                mortal: { seconds in
                    var claims = TokenMint.Claims(
                        document: Servers.document, layer: ConnectionCampaign.layer, user: "fuzz")
                    claims.expires = Int64(Date().timeIntervalSince1970) + 3 + Int64(seconds)
                    return try process.mint.token(claims)
                })
            for number in 0..<ConnectionCampaign.connections {
                scripts.append((number, try ConnectionScript(&requests, &random)))
            }
            stop = random.chance(1, of: 4) ? Int.random(in: 0...4_000, using: &random) : nil
        }

        func run() throws -> String {
            let probe = stop == nil ? newProbe() : nil
            defer { probe?.stop() }
            let before = try openFiles()
            let begin = ContinuousClock.now
            var last = begin
            var stopping: ContinuousClock.Instant?
            defer { for run in runs { run.finish() } }
            while !scripts.isEmpty || runs.contains(where: { !$0.isOver && !$0.isHeld }) {
                let now = ContinuousClock.now
                if now - last > .seconds(1) { for run in runs { run.wasKeptWaiting(now - last) } }
                last = now
                if let stop, stopping == nil, now - begin > .milliseconds(stop) {
                    stopping = now
                    process.terminate()
                    for run in runs { run.serverStops = true }
                    scripts = []
                }
                open(now - begin, now)
                try turn()
                if let problem = probe?.problem { throw Failure(problem) }
                if stopping == nil, let ending = process.ending {
                    throw Failure("the server ended by itself with \(ending)\n\(process.log.suffix(1_500))")
                }
                if let stopping, now - stopping > .seconds(Servers.stopSeconds + 20) { break }
            }
            if let stopping { try restart(stopping) } else { try waitForFiles(before, probe) }
            answers += runs.map(\.answers).reduce(0, +)
            let took = (ContinuousClock.now - begin).wholeMilliseconds
            return "\(took) ms, \(answers) answers" + (stopping == nil ? "" : ", stopped")
                + (probe.map { ", health check at most \($0.slowest.wholeMilliseconds) ms, \($0.peak >> 20) MB" } ?? "")
        }

        private func newProbe() -> Probe {
            Probe(
                port: process.port, process: process.processID, bound: campaign.bound,
                memory: ConnectionCampaign.memory)
        }

        private func open(_ elapsed: Duration, _ now: ContinuousClock.Instant) {
            for (number, script) in scripts where elapsed >= .milliseconds(script.delay) {
                let buffer = script.end == .deaf ? 4_096 : nil
                guard let socket = RawSocket(port: process.port, receiveBuffer: buffer) else { continue }
                runs.append(
                    ConnectionRun(
                        number: number, script: script, socket: socket, patience: campaign.patience, now: now))
            }
            scripts.removeAll { elapsed >= .milliseconds($0.script.delay) }
        }

        private func turn() throws {
            let active = runs.filter { !$0.isOver && !$0.isHeld }
            var now = ContinuousClock.now
            var wanted = active.map { $0.interest(now) }
            poll(&wanted, nfds_t(wanted.count), 3)
            now = .now
            for (run, one) in zip(active, wanted) { try run.turn(Int32(one.revents), now) }
        }

        // MARK: What is left

        private func openFiles() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processID)/fd").count
        }

        /// Clients that read nothing still hold their sockets.
        private func waitForFiles(_ before: Int, _ probe: Probe?) throws {
            let end = ContinuousClock.now + campaign.patience
            // The probe's connections, and files that reads in progress have open.
            let most = before + Probe.connections + 4
            var now = try openFiles()
            while now > most, ContinuousClock.now < end {
                poll(nil, 0, 20)
                now = try openFiles()
                if let problem = probe?.problem { throw Failure(problem) }
            }
            guard now <= most else {
                let held = runs.filter { !$0.isOver }.count
                throw Failure("the server has \(now) open files, \(before) before; \(held) clients read nothing")
            }
        }

        private func restart(_ stopping: ContinuousClock.Instant) throws {
            let end = stopping + .seconds(Servers.stopSeconds + 5)
            while process.isRunning, ContinuousClock.now < end { poll(nil, 0, 20) }
            guard let ending = process.ending else { throw Failure("the server does not stop") }
            guard ending == "status 0" else {
                throw Failure("after SIGTERM the server ended with \(ending)\n\(process.log.suffix(1_500))")
            }
            try process.start()
        }
    }
}
