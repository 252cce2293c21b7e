import Annotations
import EngineSupport
import Foundation
import Synchronization
import TestSupport

/// The effect on others while the backend keeps the server busy: health checks, pushes to another layer, a viewer's
/// keys.
final class LoadBenchmark: Sendable {
    struct Figures {
        var checks = Samples()
        var pushes = Samples()
        var keys = Samples()
        var took = Duration.zero
    }

    private struct State {
        var isOver = false
        var checks = Samples()
        var pushes = Samples()
        var failure: (any Error)?
    }

    // Only its port and its mint are used, which do not change.
    private nonisolated(unsafe) let server: ServerProcess
    private let document: String
    private let state = Mutex(State())

    static let checkers = 20
    static let pushers = 5

    init(_ server: ServerProcess, document: String) { (self.server, self.document) = (server, document) }

    /// - Parameters:
    ///   - seconds: The minimum duration; nil for as long as the work takes.
    ///   - press: Presses one key and waits until it is answered.
    ///   - work: Runs on a separate thread.
    func run(
        _ name: String, seconds: Int?, press: () throws -> Duration?, work: @escaping @Sendable () throws -> Void
    ) throws -> Figures {
        state.withLock { $0 = State() }
        let done = DispatchGroup()
        for number in 0..<Self.checkers { begin(done) { [self] in try check(number) } }
        for number in 0..<Self.pushers { begin(done) { [self] in try push(number, name) } }
        let worked = DispatchGroup()
        begin(worked, work)
        let start = ContinuousClock.now
        var figures = Figures()
        while worked.wait(timeout: .now()) == .timedOut
            || seconds.map({ ContinuousClock.now - start < .seconds($0) }) ?? false
        {
            if let took = try press() { figures.keys.add(took) }
        }
        figures.took = ContinuousClock.now - start
        state.withLock { $0.isOver = true }
        done.wait()
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            (figures.checks, figures.pushes) = (state.checks, state.pushes)
            return figures
        }
    }

    private func begin(_ group: DispatchGroup, _ body: @escaping @Sendable () throws -> Void) {
        group.enter()
        Thread.detachNewThread { [self] in
            defer { group.leave() }
            do { try body() } catch { state.withLock { $0.failure = error } }
        }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func check(_ number: Int) throws {
        let socket = try LoopbackSocket(port: server.listeningPort)
        let request = Array("GET /healthcheck HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        // Not all at the same moment.
        poll(nil, 0, Int32(number))
        while !isOver {
            let start = ContinuousClock.now
            try socket.send(request)
            var answer: [UInt8] = []
            while answer.last != UInt8(ascii: "}") { answer += try socket.receive() }
            let took = ContinuousClock.now - start
            state.withLock { $0.checks.add(took) }
            poll(nil, 0, 20)
        }
    }

    private func push(_ number: Int, _ name: String) throws {
        let writer = try WireWriter(server, document: document, layer: "pushed")
        var count = 0
        while !isOver {
            count += 1
            let start = ContinuousClock.now
            try writer.start(id: "\(name)-\(number)-\(count)", content: EditBenchmark.note(count))
            try writer.finish()
            let took = ContinuousClock.now - start
            state.withLock { $0.pushes.add(took) }
            poll(nil, 0, 10)
        }
    }
}
