import Annotations
import Authorization
import EngineSupport
import Foundation
import SyncProtocol

/// Our server by the wire alone: one connection pushes a change, another one listens. No client store, no client
/// library; the server decides, writes and publishes as ever.
final class WirePair {
    private let writer: LoopbackSocket
    private let listener: LoopbackSocket
    private let head: String
    private let clientID = UUID().uuidString
    private var n: Int64 = 0

    init(_ server: ServerProcess, document: String) throws {
        guard let port = URL(string: server.address)?.port.flatMap(UInt16.init(exactly:)) else {
            throw BenchmarkError("\(server.address) names no port")
        }
        func head(_ user: String, _ request: String) throws -> String {
            let token = try server.mint.token(document: document, user: user)
            return "\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
        }
        writer = try LoopbackSocket(port: port)
        listener = try LoopbackSocket(port: port)
        self.head = try head("ana", "POST /instant/v1/changes") + "Content-Type: application/json\r\n"
        try listener.send(Array((try head("ben", "GET /instant/v1/events") + "\r\n").utf8))
        var heard: [UInt8] = []
        while !heard.contains("event: session") { heard += try listener.receive() }
    }

    /// From before the change is sent until the listener has read the event that holds it.
    func run(id: String, content: Content) throws -> Duration {
        n += 1
        let change = Change(
            n: n, kind: .create, id: id, baseRevision: 0, threadRevision: nil, group: nil, content: content)
        let body = PushRequest(clientID: clientID, acked: n - 1, cursor: nil, changes: [change]).bytes
        let request = Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
        let start = ContinuousClock.now
        try writer.send(request)
        var heard: [UInt8] = []
        while !heard.contains(id) { heard += try listener.receive() }
        let end = ContinuousClock.now
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "}") { answer += try writer.receive() }
        guard answer.contains("\"applied\"") else {
            throw BenchmarkError("the server did not take it: \(String(decoding: answer, as: UTF8.self))")
        }
        return end - start
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
