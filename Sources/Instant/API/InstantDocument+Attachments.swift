public import Annotations
public import FoundationEssentials
import InstantCore

/// Files that records name, such as the picture of an image annotation (`imageAttachmentId`). A file is named by the
/// SHA-256 of its bytes: the same picture in ten annotations is kept, sent and loaded once.
///
/// ```swift
/// let picture = try document.addAttachment(data)
/// try document.add(Content(#"{"type":"pspdfkit/image","imageAttachmentId":"\#(picture)", …}"#))
/// ```
extension InstantDocument {
    /// Keeps a file for a record that is made next. It is on the disk when this returns, and is sent before the record.
    ///
    /// - Throws: `couldNotCreateAttachment`, `accessDenied` for a document that is read-only.
    public func addAttachment(_ data: Data) throws(InstantError) -> AttachmentID {
        guard isEditable else { throw Self.readOnly }
        let performer = try documentDescriptor.performer()
        let id = try performer.attachments.add(data)
        try InstantError.translating { try performer.layer.addUpload(id) }
        return id
    }

    public func addAttachment(contentsOf file: URL) throws(InstantError) -> AttachmentID {
        let data: Data
        do { data = try Data(contentsOf: file) } catch {
            throw InstantError(.couldNotCreateAttachment, "\(file.lastPathComponent) cannot be read: \(error)")
        }
        return try addAttachment(data)
    }

    /// The bytes of a file that is on this machine.
    ///
    /// - Throws: `attachmentNotLoaded` when it has to be loaded first.
    public func attachment(_ id: AttachmentID) throws(InstantError) -> Data {
        let files = try documentDescriptor.performer().attachments
        guard files.holds(id) else {
            throw InstantError(.attachmentNotLoaded, "this attachment is not on this machine yet: load it first")
        }
        do { return try Data(contentsOf: URL(filePath: files.path(id))) } catch {
            throw InstantError(.couldNotReadFromDiskCache, "the attachment cannot be read: \(error)")
        }
    }

    public func isAttachmentLoaded(_ id: AttachmentID) -> Bool {
        (try? documentDescriptor.performer().attachments.holds(id)) ?? false
    }

    /// The same, fetched from the server when it is not here yet. Files are loaded only when they are asked for.
    ///
    /// - Throws: ``InstantError``: `noSuchAttachment`, `authenticationFailed` without an accepted token,
    ///   `requestFailed`, `invalidServerData`; `CancellationError`.
    public func loadAttachment(_ id: AttachmentID) async throws -> Data {
        let performer = try documentDescriptor.performer()
        if !performer.attachments.holds(id) {
            guard let token = performer.dataToken else {
                throw InstantError(.authenticationFailed, "a token is needed to load this attachment")
            }
            do {
                try await withTaskExecutorPreference(DiskExecutor.shared) {
                    try await performer.transport.load(id, into: performer.attachments, token: token)
                }
            } catch {
                if error is CancellationError { throw error }
                // The session finds out whether the token is at an end.
                if case SyncFailure.token = error { performer.post(.sessionInvalidated) }
                if error is PartFile.Busy {
                    throw InstantError(.attachmentNotLoaded, "this attachment is being loaded already")
                }
                throw InstantError(error)
            }
        }
        return try await withTaskExecutorPreference(DiskExecutor.shared) { try attachment(id) }
    }
}
