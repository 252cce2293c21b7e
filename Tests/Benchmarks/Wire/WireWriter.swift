import Annotations
import EngineSupport
import Foundation
import SyncProtocol

/// One connection that pushes changes over the wire alone.
final class WireWriter: DurableWriter {
    private let socket: LoopbackSocket
    private let head: String
    private let clientID = UUID().uuidString
    private var n: Int64 = 0

    init(_ server: ServerProcess, document: String, layer: String = "") throws {
        socket = try LoopbackSocket(port: server.listeningPort)
        let token = try server.mint.token(document: document, layer: layer, user: "ana")
        head =
            "POST /instant/v1/changes HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Type: application/json\r\n"
    }

    /// Returns the next change as bytes, to be sent at once.
    func request(id: String, content: Content) -> [UInt8] { request([(id, content)]) }

    func request(_ records: [(id: String, content: Content)]) -> [UInt8] {
        let acked = n
        let changes = records.map { record in
            n += 1
            return Change(
                n: n, kind: .create, id: record.id, baseRevision: 0, threadRevision: nil, group: nil,
                content: record.content)
        }
        let body = PushRequest(clientID: clientID, acked: acked, cursor: nil, changes: changes).bytes
        return Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
    }

    func send(_ request: [UInt8]) throws { try socket.send(request) }

    func start(id: String, content: Content) throws { try send(request(id: id, content: content)) }

    /// Waits for the answer, which must report that the change was applied.
    func finish() throws {
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "}") { answer += try socket.receive() }
        guard answer.firstRange(of: Array("\"applied\"".utf8)) != nil else {
            throw BenchmarkError("the server did not apply the change: \(String(decoding: answer, as: UTF8.self))")
        }
    }
}

extension ServerProcess {
    var listeningPort: UInt16 {
        get throws {
            guard let port = UInt16(exactly: port), port > 0 else {
                throw BenchmarkError("\(address) has no port")
            }
            return port
        }
    }
}
