import Annotations

extension LayerWriter {
    /// Why a content cannot name its attachment: it is uploaded first, then named. nil when all is well; what the
    /// record named before stays good.
    func problem(ofAttachmentIn content: Content, over stored: StoredRecord?) throws -> String? {
        guard let id = content.attachmentID, id != stored?.record.content.attachmentID,
            try store.attachment(id, of: layer.key.document) == nil
        else { return nil }
        return "the attachment it names was not uploaded"
    }
}
