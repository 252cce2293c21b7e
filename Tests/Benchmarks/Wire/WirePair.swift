import Annotations
import EngineSupport
import Foundation

/// Postilla's server over the wire alone: one connection pushes a change, others listen. There is no client store and
/// no client library; the server decides, writes and publishes as usual.
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
            while !heard.contains(Array("event: session".utf8)) { heard += try listener.receive() }
            return listener
        }
    }

    /// Measures from before the change is sent until the last listener has read the event that contains it.
    func run(id: String, content: Content) throws -> Duration {
        let request = writer.request(id: id, content: content)
        let sought = Array(id.utf8)
        let start = ContinuousClock.now
        try writer.send(request)
        for listener in listeners {
            var heard: [UInt8] = []
            while !heard.contains(sought) { heard += try listener.receive() }
        }
        let end = ContinuousClock.now
        try writer.finish()
        return end - start
    }
}

extension [UInt8] {
    /// Searches in the simplest way: scanning an event must not take longer than a peer's own reading of its
    /// notification.
    func contains(_ sought: [UInt8]) -> Bool {
        withUnsafeBytes { bytes in
            sought.withUnsafeBytes { sought in
                guard let most = sought.count <= bytes.count ? bytes.count - sought.count : nil else { return false }
                return (0...most).contains { memcmp(bytes.baseAddress! + $0, sought.baseAddress!, sought.count) == 0 }
            }
        }
    }
}
