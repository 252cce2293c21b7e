import Annotations
import EngineSupport
import Foundation

/// Our server by the wire alone: one connection pushes a change, others listen. No client store, no client library; the
/// server decides, writes and publishes as ever.
final class WirePair {
    private let writer: WireWriter
    private let listeners: [LoopbackSocket]

    init(_ server: ServerProcess, document: String, listeners count: Int = 1) throws {
        writer = try WireWriter(server, document: document)
        listeners = try (0..<count).map { number in
            let listener = try LoopbackSocket(port: server.listeningPort)
            let token = try server.mint.token(document: document, user: "ben\(number)")
            try listener.send(
                Array(
                    "GET /instant/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n"
                        .utf8))
            var heard: [UInt8] = []
            while !heard.contains("event: session") { heard += try listener.receive() }
            return listener
        }
    }

    /// From before the change is sent until the last listener has read the event that holds it.
    func run(id: String, content: Content) throws -> Duration {
        let request = writer.request(id: id, content: content)
        let start = ContinuousClock.now
        try writer.send(request)
        for listener in listeners {
            var heard: [UInt8] = []
            while !heard.contains(id) { heard += try listener.receive() }
        }
        let end = ContinuousClock.now
        try writer.finish()
        return end - start
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
