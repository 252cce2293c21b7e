import HTTPTypes
import Hummingbird
import NIOCore

extension ResponseBody {
    /// Returns the body throttled to this many bytes a second, to test slow connections.
    func limited(to rate: Int) -> ResponseBody {
        ResponseBody(contentLength: contentLength) { writer in
            try await self.write(LimitedWriter(writer, rate: rate))
        }
    }
}

private struct LimitedWriter: ResponseBodyWriter {
    private var writer: any ResponseBodyWriter
    private let rate: Int
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var sent = 0

    init(_ writer: any ResponseBodyWriter, rate: Int) {
        self.writer = writer
        self.rate = rate
        start = clock.now
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        var buffer = buffer
        // Ten pieces a second: smooth enough to watch, few enough to be cheap.
        while let piece = buffer.readSlice(length: min(buffer.readableBytes, max(rate / 10, 1))),
            piece.readableBytes > 0
        {
            try await writer.write(piece)
            sent += piece.readableBytes
            try await clock.sleep(until: start + .seconds(Double(sent) / Double(rate)))
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await writer.finish(trailingHeaders) }
}
