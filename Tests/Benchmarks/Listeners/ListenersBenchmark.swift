import EngineSupport
import Foundation

/// The cost of listeners to an otherwise idle server, and how soon many listeners to one layer receive a change. Each
/// listener is a connection with its own token; the server is a separate process.
struct ListenersBenchmark {
    let server: ServerProcess
    /// Already uploaded.
    let document: String

    struct Idle {
        var listeners = 0
        /// Anonymous memory before and after, in bytes.
        var before = 0
        var after = 0
        /// After the heartbeats.
        var later = 0
        var opening = Duration.zero
        var dropped = 0
        /// The fewest that any listener has received.
        var heartbeats = 0

        var bytesEach: Int { (max(after, later) - before) / max(listeners, 1) }
    }

    struct Crowd {
        var listeners = 0
        /// From before a change is sent until the last listener has read it.
        var slowest = Samples()
        /// Changes pushed one after another without waiting for the listeners, and the time until every listener had
        /// read all of them.
        var burst = 0
        var burstTime = Duration.zero
        /// Listeners that did not receive everything in order.
        var missed = 0
    }

    /// Distributed over many layers, because no real layer has ten thousand listeners.
    func idle(_ count: Int, layers: Int = 100) throws -> Idle {
        let audience = Audience(port: try server.listeningPort)
        func request(_ number: Int) throws -> [UInt8] {
            try self.request(layer: "idle\(number % layers)", user: "user\(number)")
        }
        // The first listeners cause the cost of what all share.
        try audience.grow(by: layers) { try request($0) }
        var result = Idle(listeners: count, before: anonymous)
        let start = ContinuousClock.now
        try audience.grow(by: count) { try request(layers + $0) }
        result.opening = ContinuousClock.now - start
        result.after = anonymous
        audience.listen(for: .seconds(32))
        result.later = anonymous
        result.dropped = audience.ears.count - audience.open
        result.heartbeats = audience.ears.values.map(\.heartbeats).min() ?? 0
        return result
    }

    func crowd(_ count: Int, edits: Int = 100, burst: Int = 300) throws -> Crowd {
        let layer = "crowd\(count)"
        let audience = Audience(port: try server.listeningPort)
        try audience.grow(by: count) { try request(layer: layer, user: "user\($0)") }
        let writer = try WireWriter(server, document: document, layer: layer)
        var result = Crowd(listeners: count, burst: burst)
        var revision: Int64 = 0
        func everybody() -> Bool { audience.heard[revision]?.count == count }
        for number in 0..<edits {
            revision += 1
            let request = writer.request(id: "edit-\(number)", content: EditBenchmark.note(number))
            let start = ContinuousClock.now
            try writer.send(request)
            try audience.listen(for: .seconds(60), what: "change \(revision)", until: everybody)
            if let last = audience.heard[revision]?.last { result.slowest.add(last - start) }
            try writer.finish()
        }
        let start = ContinuousClock.now
        for number in 0..<burst {
            revision += 1
            try writer.send(writer.request(id: "burst-\(number)", content: EditBenchmark.note(number)))
            try writer.finish()
            audience.listen(for: .zero)
        }
        try? audience.listen(for: .seconds(60), what: "the last change", until: everybody)
        result.burstTime = ContinuousClock.now - start
        result.missed = audience.ears.values.count { $0.hasMissed || $0.isClosed || $0.revision != revision }
        return result
    }

    private var anonymous: Int {
        var memory = ProcessMemory()
        memory.note(process: server.processID)
        return memory.peakAnonymous
    }

    private func request(layer: String, user: String) throws -> [UInt8] {
        let token = try server.mint.token(document: document, layer: layer, user: user)
        return Array(
            "GET /instant/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
    }
}
