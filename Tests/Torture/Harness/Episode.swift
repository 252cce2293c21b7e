import EngineSupport
import Foundation

/// Executes one plan: all connections in one loop over poll(2), the server in a separate process.
final class Episode {
    private let plan: Plan
    private let servers: Servers
    private let bound: Duration
    private let patience: Duration
    private let memory: Int
    private let tokens: Tokens
    private let clients: [Client]
    private let backends: [Backend]
    private let revoker: Revoker
    private let starts: [String: LayerStart]
    private var lines: [Line] = []
    private var probes: [Probe?] = []
    /// Over all probes so far.
    private var slowest = Duration.zero
    private var peak = 0
    private var count = 0
    private var step = 0
    private var readyAt: [ObjectIdentifier: ContinuousClock.Instant] = [:]
    private var begin = ContinuousClock.now
    /// The servers that were asked to stop, with the time.
    private var stopping: [Int: ContinuousClock.Instant] = [:]
    private var hasStopped = false
    private(set) var summary = ""

    /// The time limit of one episode, however busy the machine.
    private static let limit: Duration = .seconds(180)

    init(_ plan: Plan, _ servers: Servers, bound: Duration, patience: Duration, memory: Int) throws {
        (self.plan, self.servers) = (plan, servers)
        (self.bound, self.patience, self.memory) = (bound, patience, memory)
        let process = servers.process(0)
        func maker(_ name: String) -> RequestMaker {
            RequestMaker(secret: process.secret, document: Servers.document, prefix: "s\(plan.seed)-\(name)")
        }
        let tokens = Tokens(mint: process.mint, document: Servers.document)
        self.tokens = tokens
        var starts: [String: LayerStart] = [:]
        for layer in (0..<Plan.sharedLayers).map({ "s\(plan.seed)-shared\($0)" }) {
            try servers.create((0..<Plan.commons).map(Plan.common), layer: layer)
            starts[layer] = try servers.start(of: layer)
        }
        let commons = Dictionary(uniqueKeysWithValues: (0..<Plan.commons).map { (Plan.common($0), Int64($0 + 1)) })
        clients = try plan.clients.map { client in
            let start = try starts[client.layer] ?? servers.start(of: client.layer)
            starts[client.layer] = start
            return Client(
                client, start, commons: client.isAlone ? [:] : commons, tokens: tokens, maker: maker(client.name))
        }
        self.starts = starts
        backends = plan.backends.enumerated().map { index, steps in
            Backend(steps, source: Servers.source, maker: maker("backend\(index)"))
        }
        revoker = Revoker(tokens, maker: maker("revoker"))
    }

    func run() throws {
        begin = .now
        probes = servers.processes.indices.map(probe)
        defer {
            for probe in probes { probe?.stop() }
            for line in lines { line.finish() }
        }
        var last = begin
        while !isDone {
            let now = ContinuousClock.now
            if now - last > .seconds(1) { for line in lines { line.wasKeptWaiting(now - last) } }
            last = now
            step += 1
            try lookAtServers(now)
            try openLines(now)
            try turn(now)
            if now - begin > Self.limit {
                throw Failure(
                    "the episode does not end: \(states)\n\(probes.indices.map(talk).joined(separator: "\n"))")
            }
        }
        for line in lines { line.finish() }
        let probes = probes.compactMap(\.self)
        probes.forEach(end)
        for probe in probes { if let problem = probe.problem { throw Failure(problem) } }
        try compare()
        summary =
            "\((ContinuousClock.now - begin).wholeMilliseconds) ms, \(count) connections, \(clients.map(\.done.count).reduce(0, +)) pushes, health check at most "
            + "\(slowest.wholeMilliseconds) ms, \(peak >> 20) MB"
    }

    private var isDone: Bool {
        guard clients.allSatisfy(\.isDone), backends.allSatisfy(\.isDone), stopping.isEmpty else { return false }
        return plan.stop == nil || hasStopped
    }

    private var states: String {
        (clients.filter { !$0.isDone }.map(\.state) + backends.filter { !$0.isDone }.map(\.state)).joined(
            separator: "; ")
    }

    // MARK: Servers

    private func end(_ probe: Probe) {
        probe.stop()
        slowest = max(slowest, probe.slowest)
        peak = max(peak, probe.peak)
    }

    private func probe(_ index: Int) -> Probe {
        let process = servers.processes[index]
        return Probe(port: process.port, process: process.processID, bound: bound, memory: memory)
    }

    private func lookAtServers(_ now: ContinuousClock.Instant) throws {
        if let stop = plan.stop, !hasStopped {
            let isIdle = clients.allSatisfy(\.isDone) && backends.allSatisfy(\.isDone)
            if isIdle || now - begin >= .milliseconds(stop.at) {
                stopServer(stop.server % servers.processes.count, now)
            }
        }
        for (index, process) in servers.processes.enumerated() {
            if let problem = probes[index]?.problem { throw Failure("step \(step): \(problem); \(talk(index))") }
            if let since = stopping[index] {
                try lookAtStop(index, process, now - since)
            } else if let ending = process.ending {
                throw Failure(
                    "step \(step): the server ended by itself with \(ending)\n\(process.log.suffix(1_500))\n\(talk(index))"
                )
            }
        }
    }

    private func stopServer(_ index: Int, _ now: ContinuousClock.Instant) {
        hasStopped = true
        if let probe = probes[index] { end(probe) }
        probes[index] = nil
        servers.processes[index].terminate()
        stopping[index] = now
        for line in lines where line.server == index { line.serverStops = true }
    }

    private func lookAtStop(_ index: Int, _ process: ServerProcess, _ took: Duration) throws {
        guard let ending = process.ending else {
            // Extra time for the last second and for a busy machine.
            if took > .seconds(Servers.stopSeconds + 3) {
                throw Failure("step \(step): \(took) after SIGTERM the server is still running; \(talk(index))")
            }
            return
        }
        guard ending == "status 0" else {
            throw Failure(
                "step \(step): after SIGTERM the server ended with \(ending)\n\(process.log.suffix(1_500))\n\(talk(index))"
            )
        }
        try process.start()
        stopping[index] = nil
        probes[index] = probe(index)
    }

    /// Returns the transcripts of connections that wait for a response of this server.
    private func talk(_ index: Int) -> String {
        let waiting = lines.filter { $0.server == index && !$0.isOver && $0.isWaiting }
        return "\(waiting.count) connections wait\n"
            + waiting.prefix(3).map { "connection \($0.number):\n\($0.transcript.text)" }.joined(separator: "\n")
    }

    // MARK: Connections

    private func openLines(_ now: ContinuousClock.Instant) throws {
        for client in clients {
            guard let plan = client.wanted(lasting: true) else { continue }
            if let line = try open(plan, by: client, now) { try client.opened(line, plan) }
        }
        for backend in backends {
            guard let plan = backend.wanted else { continue }
            if let line = try open(plan, by: backend, now) { backend.opened(line) }
        }
        if revoker.line == nil, revoker.isDue(now),
            let line = try open(LinePlan(honestly: 0, server: 0), by: revoker, now)
        {
            revoker.opened(line)
        }
    }

    private func open(_ plan: LinePlan, by speaker: any Speaker, _ now: ContinuousClock.Instant) throws -> Line? {
        let key = ObjectIdentifier(speaker)
        guard let moment = readyAt[key] else {
            readyAt[key] = now + .milliseconds(plan.delay)
            return nil
        }
        guard now >= moment else { return nil }
        let index = plan.server % servers.processes.count
        guard stopping[index] == nil else { return nil }
        guard let socket = RawSocket(port: servers.processes[index].port, receiveBuffer: plan.receiveBuffer) else {
            if now - moment > patience { throw Failure("step \(step): server \(index) accepts no connection") }
            return nil
        }
        readyAt[key] = nil
        count += 1
        let line = Line(
            number: count, plan: plan, server: index, socket: socket, speaker: speaker, patience: patience,
            seed: self.plan.seed << 16 + UInt64(count), now: now)
        lines.append(line)
        return line
    }

    private func turn(_ now: ContinuousClock.Instant) throws {
        lines.removeAll(where: \.isOver)
        var wanted: [pollfd] = []
        var which: [Int] = []
        for (index, line) in lines.enumerated() {
            guard let one = line.interest(now: now) else { continue }
            wanted.append(one)
            which.append(index)
        }
        poll(&wanted, nfds_t(wanted.count), 3)
        let now = ContinuousClock.now
        for (place, index) in which.enumerated() {
            do { try lines[index].turn(Int32(wanted[place].revents), now: now) } catch let failure as Failure {
                // What looks like a closed connection may be a dead server.
                let process = servers.processes[lines[index].server]
                if !lines[index].serverStops, let ending = Self.ending(of: process) {
                    throw Failure(
                        "step \(step): the server ended by itself with \(ending)\n\(process.log.suffix(1_500))\n\(failure)"
                    )
                }
                throw Failure("step \(step): \(failure)")
            }
        }
    }

    /// Waits briefly for a process that may be about to exit.
    private static func ending(of process: ServerProcess) -> String? {
        for _ in 0..<20 where process.isRunning { poll(nil, 0, 50) }
        return process.ending
    }

    // MARK: At the end

    private func compare() throws {
        let backend = backends.flatMap(\.outcomes)
        for (layer, start) in starts.sorted(by: { $0.key < $1.key }) {
            let model = try Model(document: Servers.document, layer: layer, start: start)
            if layer.contains("-shared") { try model.create((0..<Plan.commons).map(Plan.common)) }
            try model.check(
                clients.filter { $0.plan.layer == layer }, backend: backend, found: servers.found(in: layer))
        }
        let layers = Set(try servers.layers())
        for (step, outcome) in backend where outcome == .done {
            switch step {
            case .deleteLayer(let name) where layers.contains(name): throw Failure("\(name) is back after its deletion")
            case .copy(let name):
                let isDeleted = backend.contains { if case .deleteLayer(name) = $0.step { true } else { false } }
                guard !isDeleted else { break }
                guard layers.contains(name), try servers.count(in: name) == servers.largeLayer else {
                    throw Failure("\(name) is not a copy of \(Servers.source)")
                }
            default: break
            }
        }
    }
}

extension Duration {
    var wholeMilliseconds: Int {
        Int(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
