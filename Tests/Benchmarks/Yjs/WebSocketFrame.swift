/// One WebSocket frame (RFC 6455, section 5.2).
struct WebSocketFrame: Equatable {
    var opcode: Opcode
    /// Whether the message ends with this frame.
    var isFinal = true
    var payload: [UInt8]

    enum Opcode: UInt8 {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA
    }

    /// The frame as a client sends it.
    ///
    /// - Parameter mask: Four bytes; a client must mask (section 5.3).
    func masked(by mask: [UInt8]) -> [UInt8] {
        let head = (isFinal ? 0x80 : 0) | opcode.rawValue
        return [head] + length(flag: 0x80) + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    /// The frame as a server sends it.
    var unmasked: [UInt8] { [(isFinal ? 0x80 : 0) | opcode.rawValue] + length(flag: 0) + payload }

    private func length(flag: UInt8) -> [UInt8] {
        switch payload.count {
        case ...125: [flag | UInt8(payload.count)]
        case ...0xFFFF: [flag | 126] + Self.bigEndian(payload.count, bytes: 2)
        default: [flag | 127] + Self.bigEndian(payload.count, bytes: 8)
        }
    }

    private static func bigEndian(_ number: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Removes the first frame from the received bytes.
    ///
    /// - Returns: nil while the frame is incomplete.
    static func take(from bytes: inout [UInt8]) throws -> WebSocketFrame? {
        guard bytes.count >= 2 else { return nil }
        guard let opcode = Opcode(rawValue: bytes[0] & 0x0F), bytes[0] & 0x70 == 0 else {
            throw BenchmarkError("a WebSocket frame begins with \(bytes[0])")
        }
        let isMasked = bytes[1] & 0x80 != 0
        var (start, length) = (2, Int(bytes[1] & 0x7F))
        if length > 125 {
            let more = length == 126 ? 2 : 8
            guard bytes.count >= start + more else { return nil }
            guard more == 2 || bytes[start] == 0 else { throw BenchmarkError("a WebSocket frame is too long") }
            length = bytes[start..<start + more].reduce(0) { $0 << 8 | Int($1) }
            start += more
        }
        let mask = isMasked ? Array(bytes.dropFirst(start).prefix(4)) : []
        if isMasked { start += 4 }
        guard bytes.count >= start + length else { return nil }
        var payload = Array(bytes[start..<start + length])
        if isMasked { for index in payload.indices { payload[index] ^= mask[index % 4] } }
        let frame = WebSocketFrame(opcode: opcode, isFinal: bytes[0] & 0x80 != 0, payload: payload)
        bytes.removeFirst(start + length)
        return frame
    }
}
