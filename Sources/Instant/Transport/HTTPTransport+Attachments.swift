import Annotations
import AsyncHTTPClient
import FoundationEssentials
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

extension HTTPTransport {
    /// - Throws: ``SyncFailure/attachment(_:)`` when the file is not here or is not what its name says.
    func upload(_ id: AttachmentID, from files: AttachmentFiles, token: String) async throws(SyncFailure) -> SyncAnswer
    {
        guard let data = try? Data(contentsOf: URL(filePath: files.path(id))) else {
            throw .attachment("its attachment is not on this machine any more")
        }
        var request = request(.PUT, "attachments/\(id.hex)", token: token)
        request.headers.add(name: "content-type", value: "application/octet-stream")
        request.body = .bytes(ByteBuffer(bytes: data))
        // Ten kilobytes a second is slow and not dead.
        let deadline = NIODeadline.now() + .seconds(30 + Int64(data.count / 10_000))
        let response = try await execute(request, deadline: deadline)
        if response.status == .unprocessableEntity {
            throw .attachment("the server does not take its attachment: the file was damaged here or on the way")
        }
        try await check(response, deadline: deadline)
        _ = try await collect(response, limit: 64 << 10, deadline: deadline)
        return .uploaded
    }

    /// Loads a file and verifies it.
    ///
    /// - Throws: ``SyncFailure``, ``InstantError``, ``PartFile/Busy`` or `CancellationError`.
    func load(_ id: AttachmentID, into files: AttachmentFiles, token: String) async throws {
        let response = try await execute(
            request(.GET, "attachments/\(id.hex)", token: token), deadline: .distantFuture)
        if response.status == .notFound {
            throw InstantError(.noSuchAttachment, "the server has no such attachment, or this token may not see it")
        }
        try await check(response)
        let part = try files.open(id)
        try part.drop()
        do {
            for try await buffer in response.body {
                try Task.checkCancellation()
                guard part.size + Int64(buffer.readableBytes) <= Int64(AttachmentFiles.maximumBytes) else {
                    throw InstantError(
                        .payloadLimitExceeded, "the attachment has more than \(AttachmentFiles.maximumBytes >> 20) MB")
                }
                try buffer.withUnsafeReadableBytes(part.append)
            }
        } catch {
            if error is InstantError { throw error }
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            throw connectionFailure(error)
        }
        guard part.sha256 == id.hex else {
            throw SyncFailure.invalidServer("the attachment arrived damaged: its SHA-256 is not its name")
        }
        try part.finish(as: files.path(id), in: files.folder)
    }
}
