import Annotations
import EngineSupport
import Foundation
import SyncProtocol
import Synchronization
import TortureHarness

/// Very many requests in one write. Each answer must arrive once and in order, or not at all if the connection ends
/// first.
struct Flood {
    struct Outcome {
        var requests = 0
        var answers = 0
        var isClosed = false
        var took = Duration.zero
    }

    private var requests: [UInt8] = []
    private var methods: [Bool] = []
    private var pushes = 0
    private let token: String
    private let client = UUID().uuidString

    init(_ server: ServerProcess, document: String, layer: String) throws {
        token = try server.mint.token(document: document, layer: layer, user: "flood")
    }

    /// Adds a request of few bytes, so that very many are read at once.
    mutating func addInvalid() {
        requests += Array(
            "POST /instant/v1/changes HTTP/1.1\r\nHost:x\r\nX-Request-Id:\(methods.count)\r\nContent-Length:1\r\n\r\nx"
                .utf8)
        methods.append(false)
    }

    mutating func addPush(changes: Int = 1) {
        let changes = (0..<changes).map { _ in
            pushes += 1
            return Change(
                n: Int64(pushes), kind: .create, id: "\(client)-\(pushes)", baseRevision: 0,
                content: EditBenchmark.note(pushes))
        }
        add("POST", "/instant/v1/changes", PushRequest(clientID: client, acked: 0, cursor: nil, changes: changes).bytes)
    }

    mutating func add(_ method: String, _ target: String, _ body: [UInt8]? = nil) {
        var head =
            "\(method) \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nX-Request-Id: \(methods.count)\r\n"
        if let body { head += "Content-Length: \(body.count)\r\n" }
        requests += Array((head + "\r\n").utf8) + (body ?? [])
        methods.append(method == "HEAD")
    }

    /// - Throws: ``BenchmarkError`` if an answer is missing, duplicated or out of order, or a valid push is rejected.
    func run(port: UInt16) throws -> Outcome {
        let socket = try LoopbackSocket(port: port)
        // Used by one thread to send and by another to receive.
        nonisolated(unsafe) let sender = socket
        let bytes = requests
        let sent = DispatchGroup()
        sent.enter()
        Thread.detachNewThread {
            // A server may close before it has read everything.
            try? sender.send(bytes)
            sent.leave()
        }
        var outcome = Outcome(requests: methods.count)
        var reader = AnswerReader()
        let start = ContinuousClock.now
        while outcome.answers < methods.count {
            while outcome.answers < methods.count, let answer = try reader.next(isHead: methods[outcome.answers]) {
                guard answer["x-request-id"] == "\(outcome.answers)" else {
                    throw BenchmarkError(
                        "an answer to \(answer["x-request-id"] ?? "?") instead of \(outcome.answers)")
                }
                guard answer.status < 500, answer.status != 200 || !answer.text.contains("\"gap\"") else {
                    throw BenchmarkError("\(answer.status) for \(outcome.answers): \(answer.text)")
                }
                outcome.answers += 1
                if answer.closes { outcome.isClosed = true }
            }
            if outcome.isClosed || outcome.answers == methods.count { break }
            guard let more = try? socket.receive() else {
                outcome.isClosed = true
                break
            }
            reader.take(more)
        }
        outcome.took = ContinuousClock.now - start
        socket.cut()
        sent.wait()
        return outcome
    }
}
