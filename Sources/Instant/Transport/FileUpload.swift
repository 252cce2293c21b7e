import Annotations
import AsyncHTTPClient
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol
import Synchronization

/// Uploads one file, in one request if nothing goes wrong. After a failure, it continues with the bytes that the server
/// lacks. While nothing arrives, the parts become smaller, because a proxy may hold back a request until it is complete.
struct FileUpload {
    let transport: HTTPTransport
    let file: AttachmentID
    let bytes: ByteBuffer
    let token: String
    /// Called with the number of bytes that were sent so far, on any thread.
    let progress: @Sendable (Int) -> Void

    /// The bytes that the server has; nil if it has not said.
    private var stored: Int?
    private var isComplete = false
    /// Whether the server, or something on the way to it, has answered the question about the file.
    private var isAnswered = false
    /// Whether that answer could come from a server that does not support parts.
    private var isPlain = false
    /// Why a part was refused; the whole file is tried then.
    private var partFailure: SyncFailure?

    init(
        _ file: AttachmentID, _ bytes: ByteBuffer, over transport: HTTPTransport, token: String,
        progress: @escaping @Sendable (Int) -> Void
    ) {
        (self.transport, self.file, self.bytes, self.token) = (transport, file, bytes, token)
        self.progress = progress
    }

    /// Files up to this size are sent without a question, unless sending them has failed before.
    private static let smallBytes = 64 << 10

    private var total: Int { bytes.readableBytes }

    mutating func run() async throws(SyncFailure) {
        let hasFailed = transport.parts.hasFailed(file)
        if total > Self.smallBytes || hasFailed {
            do throws(SyncFailure) { try await askServer() } catch {
                switch error {
                // Something on the way may drop this question, and let the file pass.
                case .stalled where !hasFailed && !isAnswered, .unreachable(_, nil) where !hasFailed && !isAnswered:
                    break
                default: throw error
                }
            }
        }
        while !isComplete {
            let part = nextPart
            do throws(SyncFailure) {
                try await send(part)
                transport.parts.passed(file)
            } catch { try await recover(from: error, after: part) }
        }
        transport.parts.forget(file)
    }

    private var nextPart: Range<Int> {
        guard let stored, partFailure == nil else { return 0..<total }
        return stored..<min(total, stored + (transport.parts.most(of: file) ?? total))
    }

    private mutating func send(_ part: Range<Int>) async throws(SyncFailure) {
        var request = try transport.request(.PUT, "attachments/\(file.hex)", token: token)
        request.headers.add(name: "content-type", value: "application/octet-stream")
        let isWhole = part == 0..<total
        if !isWhole {
            request.headers.add(
                name: "content-range", value: "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(total)")
        }
        let sent = Mutex(part.lowerBound)
        let response = try await transport.wholeAnswer(
            request, bytes.getSlice(at: bytes.readerIndex + part.lowerBound, length: part.count), limit: 64 << 10
        ) { [progress] count in
            progress(
                sent.withLock { sent in
                    sent += count
                    return sent
                })
        }
        switch response.status {
        // The file was intact when it was read.
        case .unprocessableEntity:
            throw .invalidServer("something between here and \(transport.address.host) changes the file")
        case .rangeNotSatisfiable: throw .unreachable("\(transport.address.host) has another part of the file")
        default:
            try await transport.check(response, isOfKnownServer: true)
            stored = part.upperBound
            isComplete = part.upperBound == total
        }
    }

    /// Finds out where to continue.
    ///
    /// - Throws: the failure, if the server does not say, or nothing else can be tried.
    private mutating func recover(from failure: SyncFailure, after part: Range<Int>) async throws(SyncFailure) {
        guard !Task.isCancelled else { throw failure }
        switch failure {
        case .unreachable(_, nil), .stalled, .tooLarge: break
        // Something on the way may refuse parts only.
        case .invalidServer where part != 0..<total && partFailure == nil: return partFailure = failure
        default: throw failure
        }
        // The whole file may be too large for a proxy that parts pass; that would refuse the edit for good.
        if let partFailure { throw failure == .tooLarge ? partFailure : failure }
        try await askServer()
        if isComplete { return }
        transport.parts.failed(file, part.count)
        guard let stored else {
            throw failure == .tooLarge && !isPlain ? .unreachable("\(transport.address.host) did not answer") : failure
        }
        if stored > part.lowerBound {
            // Parts of this size pass, as long as the connection holds.
            transport.parts.passed(file, part.count)
        } else if part.count <= PartSizes.least {
            throw failure
        }
    }

    /// Finds out how much of the file the server has.
    private mutating func askServer() async throws(SyncFailure) {
        let request = try transport.request(.HEAD, "attachments/\(file.hex)", token: token)
        let response = try await transport.wholeAnswer(request, nil, limit: 64 << 10)
        isAnswered = true
        isPlain = [.ok, .notModified, .notFound, .methodNotAllowed, .notImplemented].contains(response.status)
        let isBusy = [.tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout].contains(response.status)
        if isBusy { try await transport.check(response, isOfKnownServer: true) }
        isComplete = response.headers.first(name: UploadProgressHeader.complete) == UploadProgressHeader.yes
        let offset = response.headers.first(name: UploadProgressHeader.offset).flatMap { Int($0) }
        stored = offset.map { (0..<total).contains($0) ? $0 : 0 }
    }
}

/// The part sizes, in bytes, of files whose upload has failed.
final class PartSizes: Sendable {
    private struct Sizes {
        var most: Int
        /// The smallest size that has failed.
        var tooLarge: Int
    }

    static let least = 64 << 10
    /// Four times the first part after a large file failed as a whole.
    private static let large = 4 << 20
    private let sizes = Mutex<[AttachmentID: Sizes]>([:])

    func most(of file: AttachmentID) -> Int? { sizes.withLock { $0[file]?.most } }

    func hasFailed(_ file: AttachmentID) -> Bool { most(of: file) != nil }

    func failed(_ file: AttachmentID, _ count: Int) {
        sizes.withLock { sizes in
            let tooLarge = min(count, sizes[file]?.tooLarge ?? .max)
            sizes[file] = Sizes(most: max(Self.least, min(count, Self.large) / 4), tooLarge: tooLarge)
        }
    }

    /// Lets parts grow, but not to a size that has failed.
    func passed(_ file: AttachmentID) {
        sizes.withLock { sizes in
            guard let known = sizes[file], 2 * known.most < known.tooLarge else { return }
            sizes[file]?.most = 2 * known.most
        }
    }

    /// Notes that some bytes of a failed part arrived.
    func passed(_ file: AttachmentID, _ count: Int) {
        sizes.withLock { $0[file] = Sizes(most: count, tooLarge: .max) }
    }

    func forget(_ file: AttachmentID) { sizes.withLock { $0[file] = nil } }
}
