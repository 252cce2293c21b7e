public import Annotations
import Authorization
public import FoundationEssentials
import InstantCore

/// Attachments: files that records name, such as the picture of an image annotation (`imageAttachmentId`). A file is
/// named by the SHA-256 of its bytes, so a picture used in ten annotations is stored, sent and loaded once.
///
/// ```swift
/// let picture = try document.addAttachment(data)
/// try document.add(.image(onPage: 0, in: box, attachment: picture))
/// ```
extension InstantDocument {
    /// Stores a file for a record that is about to be created. The file is on disk when this returns, and is sent
    /// before the record.
    ///
    /// - Throws: `couldNotCreateAttachment`; `payloadLimitExceeded` if the server would refuse the file;
    ///   `accessDenied` if the document is read-only, the token does not allow writing, or access was lost.
    public func addAttachment(_ data: Data) throws(InstantError) -> AttachmentID {
        guard isEditable else { throw Self.readOnly }
        let performer = try documentDescriptor.performer()
        if let why = documentDescriptor.lossOfAccess { throw InstantError(.accessDenied, why) }
        let metadata = try InstantError.translating { try performer.layer.metadata() }
        guard let grant = metadata.grant else { throw InstantError(EditError.noGrant) }
        guard grant.mayWrite else { throw InstantError(.accessDenied, Denial.lacks(.write).description) }
        if let limit = metadata.limits.attachmentBytes, data.count > limit {
            throw InstantError(
                .payloadLimitExceeded, "the attachment has \(data.count) bytes; the server accepts \(limit)")
        }
        return try performer.attachments.withoutRemovals { () throws(InstantError) in
            let id = try performer.attachments.add(data)
            try InstantError.translating { try performer.layer.addUpload(id) }
            return id
        }
    }

    public func addAttachment(contentsOf file: URL) throws(InstantError) -> AttachmentID {
        let data: Data
        do { data = try Data(contentsOf: file) } catch {
            throw InstantError(.couldNotCreateAttachment, "cannot read \(file.lastPathComponent): \(error)")
        }
        return try addAttachment(data)
    }

    /// Returns the bytes of a file on this machine.
    ///
    /// - Throws: `attachmentNotLoaded` if it must be loaded first; `couldNotReadFromDiskCache`, also if it is damaged.
    public func attachment(_ id: AttachmentID) throws(InstantError) -> Data {
        let files = try documentDescriptor.performer().attachments
        guard files.holds(id) else {
            throw InstantError(.attachmentNotLoaded, "this attachment is not on this machine; load it first")
        }
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: files.path(id))) } catch {
            throw InstantError(.couldNotReadFromDiskCache, "cannot read the attachment: \(error)")
        }
        guard AttachmentFiles.id(of: data) == id else {
            throw InstantError(.couldNotReadFromDiskCache, "\(files.path(id)) is damaged; load the attachment again")
        }
        return data
    }

    public func isAttachmentLoaded(_ id: AttachmentID) -> Bool {
        (try? documentDescriptor.performer().attachments.holds(id)) ?? false
    }

    /// Returns the bytes, from the server if the file is not on this machine or damaged. Files are loaded only on
    /// request.
    ///
    /// - Throws: `noSuchAttachment`, `authenticationFailed` without an accepted token, `requestFailed`,
    ///   `invalidServerData`, `attachmentNotLoaded` while another call loads the file, `cancelled`.
    public func loadAttachment(_ id: AttachmentID) async throws(InstantError) -> Data {
        do { return try await load(id) } catch {
            throw Task.isCancelled ? .cancelled : InstantError(error)
        }
    }

    private func load(_ id: AttachmentID) async throws -> Data {
        let performer = try documentDescriptor.performer()
        if performer.attachments.holds(id) {
            let local = try? await withTaskExecutorPreference(DiskExecutor.shared) { try attachment(id) }
            if let local { return local }
        }
        do {
            guard let token = performer.dataToken else {
                throw InstantError(.authenticationFailed, "loading this attachment needs a token")
            }
            do {
                try await withTaskExecutorPreference(DiskExecutor.shared) {
                    try await performer.transport.load(id, into: performer.attachments, token: token)
                }
            } catch {
                if error is CancellationError { throw error }
                // The session finds out whether the token is no longer valid.
                if case SyncFailure.token = error { performer.post(.sessionInvalidated) }
                if error is PartFile.Busy {
                    throw InstantError(.attachmentNotLoaded, "this attachment is already being loaded")
                }
                throw InstantError(error)
            }
        }
        return try await withTaskExecutorPreference(DiskExecutor.shared) { try attachment(id) }
    }
}
