import Testing

@testable import Benchmarks

/// The bytes between the benchmarks and a Yjs server.
@Suite struct YjsTests {
    /// The examples of RFC 6455, section 5.7.
    @Test func framesAreThoseOfTheStandard() throws {
        let hello = WebSocketFrame(opcode: .text, payload: Array("Hello".utf8))
        #expect(hello.unmasked == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(
            hello.masked(by: [0x37, 0xFA, 0x21, 0x3D])
                == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        let part = WebSocketFrame(opcode: .text, isFinal: false, payload: Array("Hel".utf8))
        #expect(part.unmasked == [0x01, 0x03, 0x48, 0x65, 0x6C])
    }

    /// Section 1.3.
    @Test func theHandshakeIsAnsweredAsTheStandardSays() {
        #expect(YjsConnection.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536])
    func aFrameIsReadWhenAllOfItIsThere(size: Int) throws {
        let frame = WebSocketFrame(opcode: .binary, payload: (0..<size).map { UInt8(truncatingIfNeeded: $0) })
        for sent in [frame.unmasked, frame.masked(by: [9, 8, 7, 6])] {
            var received = Array(sent.dropLast())
            #expect(try WebSocketFrame.take(from: &received) == nil)
            #expect(received.count == sent.count - 1, "nothing is taken before the end")
            received = sent + [0x8A, 0x00]
            #expect(try WebSocketFrame.take(from: &received) == frame)
            #expect(try WebSocketFrame.take(from: &received) == WebSocketFrame(opcode: .pong, payload: []))
            #expect(received.isEmpty)
        }
    }

    @Test(arguments: [[0x83, 0x00], [0xC2, 0x00], [0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func framesThatMeanNothingAreErrors(bytes: [UInt8]) {
        var received = bytes
        #expect(throws: BenchmarkError.self) { try WebSocketFrame.take(from: &received) }
    }

    @Test func messagesAreThoseOfTheProtocol() throws {
        #expect(YjsMessage.emptyState.bytes == [0, 0, 1, 0])
        #expect(YjsMessage.noDifference.bytes == [0, 1, 2, 0, 0])
        let long = [UInt8](repeating: 7, count: 300)
        #expect(YjsMessage.update(long).bytes.prefix(4) == [0, 2, 0xAC, 0x02])
        for message: YjsMessage in [
            .emptyState, .noDifference, .update(long), .update([]), .awareness([1, 2, 3]),
            .difference([UInt8](repeating: 1, count: 20_000)),
        ] { #expect(try YjsMessage(message.bytes) == message) }
    }

    @Test(
        arguments: [[], [0], [0, 3, 0], [2, 0], [0, 2], [0, 2, 5, 1], [0, 2, 1, 1, 1], [0, 2, 0x80]] as [[UInt8]])
    func messagesThatMeanNothingAreErrors(bytes: [UInt8]) {
        #expect(throws: BenchmarkError.self) { try YjsMessage(bytes) }
    }

    @Test func updatesAreReadFromHexadecimalDigits() {
        #expect(YjsUpdate(id: "a", hexadecimal: "00ff7A")?.bytes == [0, 255, 0x7A])
        #expect(YjsUpdate(id: "a", hexadecimal: "00f") == nil)
        #expect(YjsUpdate(id: "a", hexadecimal: "0g") == nil)
    }
}
