import Dispatch
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Response {
    /// A file by its hash: `ETag`, one `Range`, `If-Range`, `If-None-Match`.
    static func file(_ file: String, sha256: String, type: String, _ exchange: Exchange) throws -> Response {
        let file = try OpenFile(path: file)
        let tag = "\"\(sha256)\""
        var headers: HTTPFields = [
            .contentType: type, .xContentTypeOptions: "nosniff", .eTag: tag, .acceptRanges: "bytes",
            .cacheControl: "no-store",
        ]
        if let known = exchange.header(.ifNoneMatch), known == tag || known == "*" {
            return Response(status: .notModified, headers: headers)
        }
        // With If-Range a range counts only for the very file it was begun on.
        let stale = exchange.header(.ifRange).map { $0 != tag } ?? false
        switch ByteRange(header: stale ? nil : exchange.header(.range), of: file.length) {
        case .whole: return Response(status: .ok, headers: headers, body: file.body(0..<file.length))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.length)"
            return Response(status: .partialContent, headers: headers, body: file.body(range))
        case .unsatisfiable:
            var response = Refusal(.rangeNotSatisfiable, "the file has \(file.length) bytes").response
            response.headers[.contentRange] = "bytes */\(file.length)"
            response.headers[.eTag] = tag
            return response
        }
    }
}

/// A file that is being sent. It stays readable when its name is taken away meanwhile.
private final class OpenFile: Sendable {
    let length: Int64
    private let descriptor: CInt
    private static let queue = DispatchQueue(label: "postilla.files", attributes: .concurrent)
    private static let piece = 256 << 10

    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.unusable("a file", String(cString: strerror(errno))) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else {
            close(descriptor)
            throw StoreError.unusable("a file", String(cString: strerror(errno)))
        }
        length = Int64(end)
    }

    deinit { close(descriptor) }

    func body(_ range: Range<Int64>) -> ResponseBody {
        ResponseBody(contentLength: Int(range.count)) { writer in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let buffer = try await self.read(at: offset, Int(min(Int64(Self.piece), range.upperBound - offset)))
                offset += Int64(buffer.readableBytes)
                try await writer.write(buffer)
            }
            try await writer.finish(nil)
        }
    }

    private func read(at offset: Int64, _ count: Int) async throws -> ByteBuffer {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async {
                var buffer = ByteBuffer()
                let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
                    max(0, pread(self.descriptor, $0.baseAddress, count, off_t(offset)))
                }
                if read > 0 {
                    continuation.resume(returning: buffer)
                } else {
                    continuation.resume(throwing: StoreError.unusable("a file", "it is shorter than it was"))
                }
            }
        }
    }
}
