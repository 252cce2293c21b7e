/// The fields of the answer to `HEAD attachments/{sha256}`.
package enum UploadProgressHeader {
    /// The number of bytes of the file that the server has from this user; the upload continues after them.
    package static let offset = "Upload-Offset"
    /// Whether the file need not be sent: records may reference it.
    package static let complete = "Upload-Complete"
    /// The value of ``complete``; a file that is not complete has no such field.
    package static let yes = "?1"
}
