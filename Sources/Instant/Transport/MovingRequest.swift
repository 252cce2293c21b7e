import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Collects a response, and notes what moves.
final class MovingResponse: HTTPClientResponseDelegate {
    typealias Response = HTTPClient.Response

    private let whole: ResponseAccumulator
    private let motion: Motion
    private let sent: @Sendable (Int) -> Void

    /// - Parameter sent: Called with each number of bytes that were handed to the connection.
    init(_ request: HTTPClient.Request, limit: Int, _ motion: Motion, sent: @escaping @Sendable (Int) -> Void) {
        whole = ResponseAccumulator(request: request, maxBodySize: limit)
        (self.motion, self.sent) = (motion, sent)
    }

    func didSendRequestPart(task: HTTPClient.Task<Response>, _ part: IOData) {
        motion.moved()
        sent(part.readableBytes)
    }

    func didSendRequest(task: HTTPClient.Task<Response>) { motion.sent() }

    func didReceiveHead(task: HTTPClient.Task<Response>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        motion.moved()
        return whole.didReceiveHead(task: task, head)
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Response>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        motion.moved()
        return whole.didReceiveBodyPart(task: task, buffer)
    }

    func didReceiveError(task: HTTPClient.Task<Response>, _ error: any Error) {
        whole.didReceiveError(task: task, error)
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response { try whole.didFinishRequest(task: task) }
}

extension HTTPClient.Body {
    /// At 2 KB/s, a part takes eight seconds.
    private static let partBytes = 16 << 10

    /// A body in parts, so that it can be seen to move: the library tells when each one was handed to the kernel. Nothing waits
    /// for that, because the bytes are in memory anyway, and an answer may come before they are sent.
    static func inParts(_ bytes: ByteBuffer) -> HTTPClient.Body {
        .stream(contentLength: Int64(bytes.readableBytes)) { writer in
            var rest = bytes
            func writeNext() -> EventLoopFuture<Void> {
                let part = rest.readSlice(length: min(partBytes, rest.readableBytes)) ?? ByteBuffer()
                return writer.write(.byteBuffer(part))
            }
            let loop = writeNext().eventLoop
            while rest.readableBytes > 0 { _ = writeNext() }
            return loop.makeSucceededVoidFuture()
        }
    }
}
