import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

extension Response {
    /// Returns the file with this hash; supports `ETag`, one `Range`, `If-Range` and `If-None-Match`.
    static func file(
        _ file: any Blob, sha256: String, type: String, by workers: WorkerThreads, _ request: ServerRequest
    ) throws -> Response {
        let tag = "\"\(sha256)\""
        var headers: HTTPFields = [
            .contentType: type, .eTag: tag, .acceptRanges: "bytes", .cacheControl: "no-store",
        ]
        if let known = request.header(.ifNoneMatch), known == tag || known == "*" {
            return Response(status: .notModified, headers: headers)
        }
        // With If-Range, a range applies only to the same file.
        let stale = request.header(.ifRange).map { $0 != tag } ?? false
        switch ByteRange(header: stale ? nil : request.header(.range), of: file.length) {
        case .whole: return Response(status: .ok, headers: headers, body: file.body(0..<file.length, by: workers))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.length)"
            return Response(status: .partialContent, headers: headers, body: file.body(range, by: workers))
        case .unsatisfiable:
            var response = APIError(.rangeNotSatisfiable, "the file has \(file.length) bytes").response
            response.headers[.contentRange] = "bytes */\(file.length)"
            response.headers[.eTag] = tag
            return response
        }
    }
}

extension Response {
    /// Returns a file created for this response.
    static func made(_ file: any Blob, type: String, by workers: WorkerThreads) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: file.body(0..<file.length, by: workers))
    }
}

extension Blobs {
    /// Calls the body with the blob's path on this machine, or with that of a temporary copy, because the tools read
    /// files.
    ///
    /// Blocks; call it on worker threads.
    func withFile<Result>(_ sha256: String, _ body: (String) async throws -> Result) async throws -> Result {
        if let path = path(of: sha256) { return try await body(path) }
        let blob = try open(sha256)
        let copy = try receive()
        defer { withExtendedLifetime(copy) {} }
        while copy.bytes < blob.length {
            try copy.write(blob.read(at: copy.bytes, Int(min(blobPiece, blob.length - copy.bytes))))
        }
        return try await body(copy.path)
    }
}

extension Blob {
    fileprivate func body(_ range: Range<Int64>, by workers: WorkerThreads) -> ResponseBody {
        ResponseBody(contentLength: Int(range.count)) { writer in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let (from, count) = (offset, Int(min(blobPiece, range.upperBound - offset)))
                let buffer = try await workers.perform { try read(at: from, count) }
                offset += Int64(buffer.readableBytes)
                try await writer.write(buffer)
            }
            try await writer.finish(nil)
        }
    }
}

/// Bytes per read.
private let blobPiece: Int64 = 256 << 10
