import Foundation
import Glibc
import TestThreads
import Testing

@testable import Terminal

/// Another program that has the terminal open may make it non-blocking, for everybody.
@Suite(.onOwnThreads) struct OutputTests {
    @Test func nothingIsLostOnAnOutputThatDoesNotWait() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 % 251) }
        Thread.detachNewThread {
            TerminalDevice.write(bytes, to: writing)
            close(writing)
        }
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(reading, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            found += buffer[..<count]
        }
        close(reading)
        let isWhole = found == bytes
        #expect(isWhole, "\(found.count) of \(bytes.count) bytes")
    }
}
