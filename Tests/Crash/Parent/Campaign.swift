import Annotations
import EngineSupport
import Foundation
import PostgresSupport
import TestSupport

/// A server, its writers and the promises made to each: killed, restarted and compared in every cycle.
final class Campaign {
    struct Settings {
        var cycles: Int
        var seed: UInt64
        var writers: Int
        /// With 0, tokens outlive the run.
        var tokenSeconds: Int
        var kills: Bool
        /// Whether writers acknowledge edits that they never make, to check that this is detected.
        var lies: Bool
        /// Two or more servers share one PostgreSQL server, which is also killed; the writers are distributed over the
        /// Postilla servers.
        var servers = 1
        /// Whether each kill is a power failure, and the clients' disks fail at random.
        var failsPower = false
    }

    static let document = "paper"
    /// The seconds without progress after which a wait counts as a stall.
    static let patience = 60

    let settings: Settings
    let servers: [ServerProcess]
    /// nil if the only server has its own store.
    let database: PostgresServer?
    private(set) var writers: [WriterProcess] = []
    /// nil: the power does not fail.
    private let disks: [DiskFaults?]
    private var random: SeededRandom
    private var (databaseKills, serverKills, writerKills) = (0, 0, 0)

    /// - Parameter writer: The path of this program.
    init(settings: Settings, postilla: String, writer: String, folder: URL) throws {
        self.settings = settings
        random = SeededRandom(seed: settings.seed)
        // Below the ephemeral ports: a client that connects to a port without a listener must not connect to itself.
        let port = Int.random(in: 20_000..<30_000)
        let library = settings.failsPower ? try DiskFaults.compile(into: folder) : nil
        disks = try (0..<settings.servers).map { index in
            try library.map { try DiskFaults(library: $0, folder: folder.appendingPathComponent("disk\(index)")) }
        }
        let database = settings.servers > 1 ? try PostgresServer(isDurable: true) : nil
        let mint = TokenMint()
        servers = try disks.enumerated().map { index, disk in
            let place = folder.appendingPathComponent("server\(index)")
            return try ServerProcess(
                postilla: postilla, folder: place, mint: mint, port: port + index,
                options: database.map { ["--store", $0.address("postgres")] } ?? [],
                environment: disk?.environment(
                    watching: place.appendingPathComponent("data").path, hasDisk: true))
        }
        self.database = database
        for index in 0..<settings.writers {
            let user = ["ana", "bo", "cy", "di"][index % 4] + (index < 4 ? "" : "\(index)")
            writers.append(
                WriterProcess(
                    user: user, program: writer, folder: folder, lies: settings.lies,
                    disk: try library.map {
                        try DiskFaults(library: $0, folder: folder.appendingPathComponent("disk-" + user))
                    }))
        }
    }

    func run() async throws {
        let start = ContinuousClock.now
        try await servers[0].upload(SmallPDF(annotations: []).bytes, as: Self.document)
        for index in writers.indices { try launch(index) }
        for cycle in 1...max(1, settings.cycles) {
            do {
                let plan = Plan(
                    using: &random, writers: writers.count, servers: servers.count, hasDatabase: database != nil)
                try await run(plan)
            } catch { throw CrashProblem("cycle \(cycle): \(error)") }
            if cycle.isMultiple(of: 100) { tell(cycle, since: start) }
        }
        tell(settings.cycles, since: start)
    }

    private func run(_ plan: Plan) async throws {
        for writer in writers { writer.say(.edit) }
        try listen(milliseconds: plan.before)
        if settings.kills {
            try hit(plan.victims)
            try listen(milliseconds: plan.alone)
            try rise(plan.victims)
            if let again = plan.again {
                try listen(milliseconds: again)
                try hit(plan.victims)
                try rise(plan.victims)
            }
            for (index, server) in servers.enumerated() where plan.victims.contains(.server(index)) {
                try server.waitUntilListening()
            }
        }
        try await compare()
    }

    private func hit(_ victims: Plan.Victims) throws {
        if victims.contains(.database) {
            try database?.kill()
            databaseKills += 1
        }
        for (index, server) in servers.enumerated() where victims.contains(.server(index)) {
            server.kill()
            try disks[index]?.failPower(in: server.folder.appendingPathComponent("data"))
            serverKills += 1
        }
        for (index, writer) in writers.enumerated() where victims.contains(.writer(index)) {
            try writer.kill()
            writerKills += 1
        }
    }

    private func rise(_ victims: Plan.Victims) throws {
        if victims.contains(.database) { try database?.start() }
        for (index, server) in servers.enumerated() where victims.contains(.server(index)) { try server.launch() }
        for (index, writer) in writers.enumerated() where victims.contains(.writer(index)) {
            try launch(index)
            writer.say(.edit)
        }
    }

    private func launch(_ writer: Int) throws {
        try writers[writer].launch(servers[writer % servers.count].address, random: &random)
    }

    /// Processes the writers' reports for this long.
    private func listen(milliseconds: Int) throws {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while case let left = end - .now, left > .zero {
            Child.wait(for: writers.compactMap(\.child), milliseconds: left.wholeMilliseconds + 1)
            try serve()
        }
    }

    /// Processes the writers' reports until the condition holds for each.
    private func listen(until what: String, _ isDone: (WriterProcess) -> Bool) throws {
        let end = ContinuousClock.now + .seconds(Self.patience)
        while !writers.allSatisfy(isDone) {
            let late = writers.filter { !isDone($0) }.map(\.user).joined(separator: ", ")
            guard ContinuousClock.now < end else { throw CrashProblem("stalled: \(late) never \(what)") }
            Child.wait(for: writers.compactMap(\.child), milliseconds: 1000)
            try serve()
        }
    }

    private func serve() throws {
        for (index, writer) in writers.enumerated() {
            if try writer.listen() == .ended {
                try launch(index)
                writer.repeatOrder()
            }
            if writer.needsToken { writer.say(.token(try token(for: writer.user))) }
        }
    }

    private func token(for user: String) throws -> String {
        var claims = TokenMint.Claims(document: Self.document, layer: "review", user: user)
        if settings.tokenSeconds > 0 {
            claims.expires = Int64(Date().timeIntervalSince1970) + Int64(settings.tokenSeconds)
        }
        return try servers[0].mint.token(claims)
    }

    /// Waits until all is at rest; then the server, every client and every promise must agree.
    private func compare() async throws {
        for writer in writers { writer.say(.settle) }
        try listen(until: "sent everything") { $0.settled != nil }
        let head = writers.compactMap(\.settled).max() ?? 0
        for writer in writers { writer.say(.show(revision: head)) }
        try listen(until: "reported its rows", \.hasShown)
        let records = try await records()
        var problems: [String] = []
        for writer in writers {
            let own = records.filter { $0.value.user == writer.user }.mapValues(\.text)
            problems += writer.settle(own).map { "\(writer.user): \($0)" }
            problems += Self.difference(writer.rows, records.mapValues(\.text)).map { "\(writer.user) shows \($0)" }
            if writer.conflicts + writer.refused > 0 {
                problems.append("\(writer.user) has \(writer.conflicts) conflicts and \(writer.refused) refusals")
            }
        }
        guard problems.isEmpty else { throw CrashProblem(problems.prefix(20).joined(separator: "\n")) }
    }

    private static func difference(_ shown: [String: String], _ there: [String: String]) -> [String] {
        Set(shown.keys).union(there.keys).filter { shown[$0] != there[$0] }.sorted().map {
            "\(shown[$0] ?? "nothing") for \($0), which is \(there[$0] ?? "not there")"
        }
    }

    private func records() async throws -> [String: (user: String?, text: String)] {
        var request = servers[0].request("documents/\(Self.document)/layers/review/annotations")
        request.headers.add(name: "Accept", value: "application/x-ndjson")
        var records: [String: (user: String?, text: String)] = [:]
        for line in try await servers[0].send(request).split(separator: 0x0A) {
            let record = try JSONReader.parse(Array(line))
            guard let id = record["id"]?.string, let text = record["content"]?["text"]?.string else {
                throw CrashProblem("the server returned a record without id or text")
            }
            records[id] = (record["createdBy"]?.string, text)
        }
        return records
    }

    private func tell(_ cycle: Int, since start: ContinuousClock.Instant) {
        let edits = writers.map(\.acknowledged).reduce(0, +)
        let tokens = writers.map(\.tokens).reduce(0, +)
        print(
            """
            \(cycle) cycles in \((ContinuousClock.now - start).components.seconds) s: \(edits) edits acknowledged, \
            \(serverKills) server kills, \(writerKills) client kills, \(databaseKills) database kills, \
            \(settings.failsPower ? "\(writers.map(\.faults).reduce(0, +)) disk failures, " : "")\
            \(tokens) tokens; nothing lost, duplicated or stalled
            """)
        fflush(nil)
    }
}

extension Duration {
    var wholeMilliseconds: Int {
        Int(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
