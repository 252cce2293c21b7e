import Crypto
import Foundation

/// A Yjs client without a document: a WebSocket connection that has exchanged states with the server.
final class YjsConnection {
    private let socket: LoopbackSocket
    private var pending: [UInt8] = []

    /// Opens the room and returns after both sides have sent what the other lacks.
    init(port: UInt16, room: String) throws {
        socket = try LoopbackSocket(port: port)
        try shakeHands(room: room)
        try send(.emptyState)
        var (hasAsked, hasAnswered) = (false, false)
        while !hasAsked || !hasAnswered {
            switch try receive() {
            case .state:
                hasAsked = true
                try send(.noDifference)
            case .difference: hasAnswered = true
            case .update, .awareness: continue
            }
        }
    }

    /// A frame ready for ``send(_:)-([UInt8])``, so that masking is not timed.
    static func frame(_ message: YjsMessage) -> [UInt8] {
        let mask = (0..<4).map { _ in UInt8.random(in: .min ... .max) }
        return WebSocketFrame(opcode: .binary, payload: message.bytes).masked(by: mask)
    }

    func send(_ frame: [UInt8]) throws { try socket.send(frame) }
    private func send(_ message: YjsMessage) throws { try send(Self.frame(message)) }

    /// Reads until an update contains these bytes.
    func waitForUpdate(containing sought: [UInt8]) throws {
        while true {
            if case .update(let update) = try receive(), update.contains(sought) { return }
        }
    }

    private func receive() throws -> YjsMessage {
        var message: [UInt8] = []
        while true {
            let frame = try nextFrame()
            switch frame.opcode {
            case .ping: try send(WebSocketFrame(opcode: .pong, payload: frame.payload).masked(by: [1, 2, 3, 4]))
            case .pong: continue
            case .close: throw BenchmarkError("the Yjs server closed the connection")
            case .binary, .text, .continuation:
                message += frame.payload
                if frame.isFinal { return try YjsMessage(message) }
            }
        }
    }

    private func nextFrame() throws -> WebSocketFrame {
        while true {
            if let frame = try WebSocketFrame.take(from: &pending) { return frame }
            pending += try socket.receive()
        }
    }

    /// The opening handshake (RFC 6455, section 4.1).
    private func shakeHands(room: String) throws {
        let key = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        try socket.send(
            Array(
                """
                GET /\(room) HTTP/1.1\r
                Host: 127.0.0.1\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Key: \(key)\r
                Sec-WebSocket-Version: 13\r
                \r\n
                """.utf8))
        let end = Array("\r\n\r\n".utf8)
        while pending.firstRange(of: end) == nil { pending += try socket.receive() }
        guard let head = pending.firstRange(of: end) else { return }
        let answer = String(decoding: pending[..<head.lowerBound], as: UTF8.self)
        pending.removeFirst(head.upperBound)
        guard answer.hasPrefix("HTTP/1.1 101"), answer.contains(Self.accept(key)) else {
            throw BenchmarkError("the Yjs server did not open a WebSocket: \(answer)")
        }
    }

    /// The value of `Sec-WebSocket-Accept` for a key.
    static func accept(_ key: String) -> String {
        let digest = Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(digest).base64EncodedString()
    }
}
