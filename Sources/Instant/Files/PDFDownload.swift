import AsyncHTTPClient
import InstantCore
import NIOCore
import NIOHTTP1

/// The download of one PDF: resumed where an earlier attempt stopped, verified by length and SHA-256, then renamed into
/// place.
struct PDFDownload: Sendable {
    let transport: HTTPTransport
    let folders: Folders
    /// From the session response.
    let sha256: String
    let total: Int64

    static let maximumBytes: Int64 = 2 << 30
    /// The server's PDF is not the requested one.
    struct Replaced: Error, CustomStringConvertible {
        var description: String { "the PDF differs from the one that the server announced" }
    }

    /// - Parameters:
    ///   - token: Called for each request.
    ///   - progress: Called at most ten times a second, and at the start and the end.
    /// - Throws: ``SyncFailure``, ``InstantError``, ``Replaced``, ``PartFile/Busy`` or `CancellationError`. The
    ///   received part stays for the next attempt.
    func run(
        token: @escaping @Sendable () -> String?, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws {
        do {
            try await transport.moving { try await run(token: token, $0, progress: progress) }
        } catch let error as Stalled { throw transport.connectionFailure(error) }
    }

    private func run(
        token: @Sendable () -> String?, _ motion: Motion, progress: @Sendable (DownloadProgress) -> Void
    ) async throws {
        guard Folders.isSHA256(sha256) else {
            throw SyncFailure.invalidServer("the server sent an invalid SHA-256 of the PDF")
        }
        guard (0...Self.maximumBytes).contains(total) else {
            throw InstantError(.payloadLimitExceeded, "the PDF has \(total) bytes; the limit is \(Self.maximumBytes)")
        }
        guard !isComplete else { return }
        motion.rest()
        let part = try PartFile(path: folders.part(sha256))
        guard !isComplete else { return }
        try part.resume(total: total)
        try await complete(part, token: token, motion, progress: progress)
        if part.isResumed, part.sha256 != sha256 {
            // Not the server's fault, unless it happens again with what it has sent just now.
            try part.drop()
            try await complete(part, token: token, motion, progress: progress)
        }
        guard part.sha256 == sha256 else {
            try part.drop()
            throw SyncFailure.invalidServer("the PDF arrived damaged: its SHA-256 does not match")
        }
        try part.finish(as: folders.pdf(sha256), in: folders.pdfs)
    }

    /// Fetches what is missing.
    private func complete(
        _ part: PartFile, token: @Sendable () -> String?, _ motion: Motion,
        progress: @Sendable (DownloadProgress) -> Void
    ) async throws {
        var restarts = 0
        while true {
            progress(DownloadProgress(received: part.size, total: total))
            if part.size < total || total == 0, try await !fetch(into: part, token: token, motion, progress: progress) {
                restarts += 1
                guard restarts <= 2 else {
                    throw SyncFailure.invalidServer("the server sent a different part of the PDF than requested")
                }
                continue
            }
            break
        }
        progress(DownloadProgress(received: part.size, total: total))
        guard part.size == total else {
            throw SyncFailure.unreachable("the download was interrupted at \(part.size) of \(total) bytes")
        }
    }

    private var isComplete: Bool { Folders.isFile(folders.pdf(sha256)) }

    /// - Returns: false if the part was dropped and must be downloaded from the beginning.
    private func fetch(
        into part: PartFile, token: @Sendable () -> String?, _ motion: Motion,
        progress: @Sendable (DownloadProgress) -> Void
    ) async throws -> Bool {
        guard let token = token() else { throw SyncFailure.token(.noneYet) }
        var request = try transport.request(.GET, "document", token: token)
        if part.size > 0 {
            request.headers.add(name: "range", value: "bytes=\(part.size)-")
            request.headers.add(name: "if-range", value: "\"\(sha256)\"")
        }
        motion.moved()
        defer { motion.rest() }
        let response = try await transport.execute(request)
        motion.moved()
        switch response.status.code {
        case 206:
            guard response.headers.first(name: "content-range") == "bytes \(part.size)-\(total - 1)/\(total)" else {
                try part.drop()
                return false
            }
        case 200: if part.size > 0 { try part.drop() }
        case 416:
            try part.drop()
            return false
        default: try await transport.check(response)
        }
        guard !response.headers.contains(name: "content-encoding") else {
            throw transport.notOurs("it returned an unrequested encoding")
        }
        if let etag = response.headers.first(name: "etag"), etag != "\"\(sha256)\"" { throw Replaced() }
        try await take(response, into: part, motion, progress: progress)
        return true
    }

    private func take(
        _ response: HTTPClientResponse, into part: PartFile, _ motion: Motion,
        progress: @Sendable (DownloadProgress) -> Void
    ) async throws {
        let clock = ContinuousClock()
        var told = clock.now
        do {
            for try await buffer in response.body {
                try Task.checkCancellation()
                guard part.size + Int64(buffer.readableBytes) <= total else {
                    try part.drop()
                    throw SyncFailure.invalidServer("the server sent more than the announced \(total) bytes")
                }
                try buffer.withUnsafeReadableBytes(part.append)
                motion.moved()
                if clock.now - told >= .milliseconds(100) {
                    told = clock.now
                    progress(DownloadProgress(received: part.size, total: total))
                }
            }
        } catch let error as InstantError { throw error } catch let failure as SyncFailure { throw failure } catch {
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            throw transport.connectionFailure(error)
        }
    }
}
