import Annotations
import AsyncHTTPClient
import FoundationEssentials
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol

extension HTTPTransport {
    /// Uploads a file, or what the server lacks of it.
    ///
    /// - Parameter progress: Called with the bytes that were sent so far, and with all, on any thread.
    /// - Throws: ``SyncFailure/attachment(_:)`` if the file is missing here or does not match its name;
    ///   ``SyncFailure/store(_:)`` if it cannot be read now.
    func upload(
        _ id: AttachmentID, from files: AttachmentFiles, token: String,
        progress: @escaping @Sendable (_ sent: Int, _ total: Int) -> Void
    ) async throws(SyncFailure) -> SyncAnswer {
        guard files.holds(id) else { throw .attachment("its attachment is no longer on this machine") }
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: files.path(id))) } catch {
            throw .store("cannot read the attachment \(files.path(id)): \(error)")
        }
        guard AttachmentFiles.id(of: data) == id else { throw .attachment("its attachment is damaged on this machine") }
        var upload = FileUpload(id, ByteBuffer(bytes: data), over: self, token: token) { [total = data.count] sent in
            progress(sent, total)
        }
        try await upload.run()
        return .uploaded
    }

    /// Downloads a file and verifies it.
    ///
    /// - Throws: ``SyncFailure``, ``InstantError``, ``PartFile/Busy`` or `CancellationError`.
    func load(_ id: AttachmentID, into files: AttachmentFiles, token: String) async throws {
        do { try await moving { try await load(id, into: files, token: token, $0) } } catch let error as Stalled {
            throw connectionFailure(error)
        }
    }

    private func load(
        _ id: AttachmentID, into files: AttachmentFiles, token: String, _ motion: Motion
    ) async throws {
        let response = try await execute(try request(.GET, "attachments/\(id.hex)", token: token))
        motion.moved()
        if response.status == .notFound {
            throw InstantError(.noSuchAttachment, "no such attachment on the server, or this token may not see it")
        }
        try await check(response)
        let part = try files.open(id)
        try part.drop()
        do {
            for try await buffer in response.body {
                try Task.checkCancellation()
                guard part.size + Int64(buffer.readableBytes) <= Int64(AttachmentFiles.maximumBytes) else {
                    throw InstantError(
                        .payloadLimitExceeded, "the attachment is larger than \(AttachmentFiles.maximumBytes >> 20) MB")
                }
                try buffer.withUnsafeReadableBytes(part.append)
                motion.moved()
            }
        } catch {
            if error is InstantError { throw error }
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            throw connectionFailure(error)
        }
        guard part.sha256 == id.hex else {
            throw SyncFailure.invalidServer("the attachment arrived damaged: its SHA-256 does not match")
        }
        try part.finish(as: files.path(id), in: files.folder)
    }
}
