import Foundation
import Synchronization

/// Requests `GET /healthcheck` of a server repeatedly on quiet connections, on a separate thread, and checks its
/// memory: load on other connections must not affect them.
final class Probe: Sendable {
    private struct State {
        var isOver = false
        var problem: String?
        var slowest = Duration.zero
        var samples: [Duration] = []
        var peak = 0
    }

    private let state = Mutex(State())
    private let port: Int
    private let process: Int32
    private let bound: Duration
    private let memory: Int
    private let done = DispatchGroup()

    static let connections = 4
    private static let interval: Duration = .milliseconds(20)

    /// - Parameters:
    ///   - bound: The limit of a response time.
    ///   - memory: The limit of the process's bytes.
    init(port: Int, process: Int32, bound: Duration, memory: Int) {
        (self.port, self.process, self.bound, self.memory) = (port, process, bound, memory)
        done.enter()
        Thread.detachNewThread { [self] in
            run()
            done.leave()
        }
    }

    /// - Returns: Why the server failed; nil if it did not.
    var problem: String? { state.withLock { $0.problem } }
    var slowest: Duration { state.withLock { $0.slowest } }
    var peak: Int { state.withLock { $0.peak } }

    /// Returns the nearest rank; zero without samples.
    func percentile(_ percent: Int) -> Duration {
        let samples = state.withLock { $0.samples }.sorted()
        return samples.isEmpty ? .zero : samples[min(samples.count - 1, samples.count * percent / 100)]
    }

    func stop() {
        state.withLock { $0.isOver = true }
        done.wait()
    }

    private final class Connection {
        let socket: RawSocket
        var reader = AnswerReader()
        var asked: ContinuousClock.Instant?
        var next: ContinuousClock.Instant
        /// The delay of this thread meanwhile that the machine caused.
        var lag = Duration.zero

        init(_ socket: RawSocket, next: ContinuousClock.Instant) { (self.socket, self.next) = (socket, next) }
    }

    private static let request = Array("GET /healthcheck HTTP/1.1\r\nHost: x\r\n\r\n".utf8)

    private func run() {
        let connections = (0..<Self.connections).compactMap { index in
            RawSocket(port: port).map { Connection($0, next: .now + .milliseconds(index * 5)) }
        }
        var lastLook = ContinuousClock.now
        while !connections.isEmpty, !state.withLock({ $0.isOver }), problem == nil {
            let before = ContinuousClock.now
            var wanted = connections.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
            let ready = poll(&wanted, nfds_t(wanted.count), 5)
            let now = ContinuousClock.now
            // A wait of 5 ms that took much longer: this thread had no processor, and perhaps the server had none.
            let lag = ready == 0 ? max(.zero, now - before - .milliseconds(6)) : .zero
            for (index, connection) in connections.enumerated() {
                connection.lag += lag
                if wanted[index].revents != 0 { guard hear(connection, now) else { return } }
                look(connection, now)
            }
            if now - lastLook > .milliseconds(100) {
                lastLook = now
                lookAtMemory()
            }
        }
    }

    /// - Returns: Whether the connection continues.
    private func hear(_ connection: Connection, _ now: ContinuousClock.Instant) -> Bool {
        // The end of the server is handled elsewhere.
        guard case .bytes(let bytes) = connection.socket.receive() else { return false }
        connection.reader.take(bytes)
        guard let answer = try? connection.reader.next(isHead: false), let asked = connection.asked else { return true }
        let took = now - asked - connection.lag
        state.withLock { state in
            state.slowest = max(state.slowest, took)
            state.samples.append(took)
            if answer.status != 200 { state.problem = "\(answer.status) for a health check" }
            if took > bound {
                state.problem = "a health check on a quiet connection took \(took); the bound is \(bound)"
            }
        }
        connection.asked = nil
        connection.next = now + Self.interval
        return true
    }

    private func look(_ connection: Connection, _ now: ContinuousClock.Instant) {
        if let asked = connection.asked {
            if now - asked - connection.lag > max(bound, .seconds(10)) {
                state.withLock {
                    $0.problem = "a health check on a quiet connection is not answered after \(now - asked)"
                }
            }
        } else if now >= connection.next {
            (connection.asked, connection.lag) = (now, .zero)
            _ = connection.socket.send(Self.request[...])
        }
    }

    private func lookAtMemory() {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kilobytes = line.split(separator: " ").compactMap({ Int($0) }).first
        else { return }
        state.withLock { state in
            state.peak = max(state.peak, kilobytes * 1024)
            if kilobytes * 1024 > memory {
                state.problem = "the process uses \(kilobytes >> 10) MB; the bound is \(memory >> 20) MB"
            }
        }
    }
}
