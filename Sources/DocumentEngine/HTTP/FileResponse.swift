import Dispatch
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

extension Response {
    /// A file by its hash: `ETag`, one `Range`, `If-Range`, `If-None-Match`.
    static func file(_ file: any Blob, sha256: String, type: String, _ exchange: Exchange) throws -> Response {
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

extension Blobs {
    func opened(_ sha256: String) async throws -> any Blob {
        try await withCheckedThrowingContinuation { continuation in
            blobQueue.async { continuation.resume(with: Result { try self.open(sha256) }) }
        }
    }
}

extension Blob {
    private static var piece: Int { 256 << 10 }

    fileprivate func body(_ range: Range<Int64>) -> ResponseBody {
        ResponseBody(contentLength: Int(range.count)) { writer in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let buffer = try await read(offset, Int(min(Int64(Self.piece), range.upperBound - offset)))
                offset += Int64(buffer.readableBytes)
                try await writer.write(buffer)
            }
            try await writer.finish(nil)
        }
    }

    private func read(_ offset: Int64, _ count: Int) async throws -> ByteBuffer {
        try await withCheckedThrowingContinuation { continuation in
            blobQueue.async { continuation.resume(with: Result { try self.read(at: offset, count) }) }
        }
    }
}

/// Off the threads of the event loops.
private let blobQueue = DispatchQueue(label: "postilla.blobs", attributes: .concurrent)
