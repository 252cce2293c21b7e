import EngineSupport
package import Foundation
import TestSupport

/// A thousand slow clients: heads and bodies arrive byte by byte, and responses are barely read. On other connections
/// the server must respond as usual.
package struct SlowCrowd {
    package struct Outcome: CustomStringConvertible {
        package var clients = 0
        /// Connections that the server closed, so that they were opened again.
        package var closed = 0
        /// Health checks on other connections.
        package var median = Duration.zero
        package var p99 = Duration.zero
        package var slowest = Duration.zero
        package var megabytes = 0
        /// nil: all checks passed.
        package var problem: String?

        package var description: String {
            func milliseconds(_ time: Duration) -> String {
                String(
                    format: "%.1f ms",
                    Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3)
            }
            return "\(clients) slow clients, \(closed) connections closed by the server; health check "
                + "\(milliseconds(median)) (median), \(milliseconds(p99)) (p99), \(milliseconds(slowest)) (slowest); "
                + "\(megabytes) MB"
        }
    }

    package var postilla: String
    package var folder: URL
    package var seconds: Int
    package var clients = 1_000
    /// The limit for 99 of 100 health checks on other connections.
    package var bound: Duration = .milliseconds(100)
    /// Limits of the server, such as `head-seconds=1`.
    package var limits: [String] = []

    package init(postilla: String, folder: URL, seconds: Int) {
        (self.postilla, self.folder, self.seconds) = (postilla, folder, seconds)
    }

    private static let layer = "slow"
    private static let memory = 600 << 20

    package func run() throws -> Outcome {
        try Self.raiseFileLimit(to: clients + 200)
        let servers = try Servers(.sqlite, postilla: postilla, folder: folder, largeLayer: 2_000, limits: limits)
        defer { servers.stop() }
        let process = servers.process(0)
        let crowd = try Crowd(servers, count: clients)
        let probe = Probe(
            port: process.port, process: process.processID, bound: .seconds(60), memory: Self.memory)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end, probe.problem == nil, process.isRunning { crowd.turn() }
        probe.stop()
        var outcome = Outcome(clients: crowd.openCount, closed: crowd.closed)
        (outcome.median, outcome.p99, outcome.slowest) = (probe.percentile(50), probe.percentile(99), probe.slowest)
        outcome.megabytes = probe.peak >> 20
        if let ending = process.ending { outcome.problem = "the server ended by itself with \(ending)" }
        outcome.problem = outcome.problem ?? probe.problem
        if outcome.problem == nil, outcome.p99 > bound {
            outcome.problem = "p99 is \(outcome.p99); the bound is \(bound)"
        }
        if outcome.problem == nil, outcome.clients < clients {
            outcome.problem = "only \(outcome.clients) of \(clients) clients are connected"
        }
        return outcome
    }

    private static func raiseFileLimit(to count: Int) throws {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0, limit.rlim_max >= rlim_t(count) else {
            throw Failure("\(count) open files are not allowed here")
        }
        limit.rlim_cur = max(limit.rlim_cur, rlim_t(count))
        setrlimit(kind, &limit)
    }

    /// All clients in one loop, each with a turn every second.
    private final class Crowd {
        private struct Client {
            var socket: RawSocket?
            var bytes: ArraySlice<UInt8>
            var reads: Bool
            var next: ContinuousClock.Instant
        }

        private let port: Int
        private let scripts: [(bytes: [UInt8], reads: Bool)]
        private var clients: [Client]
        private(set) var closed = 0

        init(_ servers: Servers, count: Int) throws {
            let process = servers.process(0)
            port = process.port
            let token = try process.mint.token(document: Servers.document, layer: SlowCrowd.layer, user: "slow")
            let source = try process.mint.token(document: Servers.document, layer: Servers.source, user: "slow")
            func head(_ line: String, _ token: String, _ more: String = "") -> [UInt8] {
                Array("\(line) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\(more)\r\n".utf8)
            }
            let body = [UInt8](repeating: UInt8(ascii: " "), count: 100_000)
            scripts = [
                // A head, byte by byte.
                (head("GET /instant/v1/session", token), false),
                // A body, byte by byte, behind a head at once.
                (head("POST /instant/v1/changes", token, "Content-Length: \(body.count)\r\n") + body, false),
                // Answers of hundreds of kilobytes, a hundred bytes a second.
                (head("GET /instant/v1/records", source), true),
            ]
            let now = ContinuousClock.now
            clients = (0..<count).map { index in
                Client(socket: nil, bytes: [], reads: false, next: now + .milliseconds(index % 1_000))
            }
        }

        var openCount: Int { clients.filter { $0.socket != nil }.count }

        func turn() {
            let now = ContinuousClock.now
            for index in clients.indices where clients[index].next <= now {
                clients[index].next = now + .seconds(1)
                step(index)
            }
            poll(nil, 0, 2)
        }

        private func step(_ index: Int) {
            guard let socket = clients[index].socket else { return open(index) }
            switch socket.receive(upTo: 100) {
            case .bytes, .nothingYet:
                if clients[index].bytes.isEmpty || send(1, from: index, on: socket) { return }
            case .end, .reset: break
            }
            // Open at once, so that the crowd has its full size at any time.
            closed += 1
            open(index)
        }

        private func open(_ index: Int) {
            let script = scripts[index % scripts.count]
            clients[index].socket = RawSocket(port: port, receiveBuffer: script.reads ? 4_096 : nil)
            clients[index].bytes = script.bytes[...]
            guard let socket = clients[index].socket else { return }
            // Requests of a slow reader and heads of slow bodies come at once.
            let head = script.bytes.count > 10_000 ? script.bytes.count - 100_000 : script.bytes.count
            guard index % scripts.count > 0, !send(head, from: index, on: socket) else { return }
            closed += 1
            clients[index].socket = nil
        }

        /// - Returns: Whether the connection is open.
        private func send(_ count: Int, from index: Int, on socket: RawSocket) -> Bool {
            guard let sent = socket.send(clients[index].bytes.prefix(count)) else { return false }
            clients[index].bytes = clients[index].bytes.dropFirst(sent)
            return true
        }
    }
}
