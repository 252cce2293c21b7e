package import InstantCore

/// What is known of a layer the moment it is open, before anything was asked of the server.
package struct OpenedLayer: Hashable, Sendable {
    package var reference: LayerReference
    /// The document's title or file name, uncleaned; nil: its id is shown.
    package var title: String?
    package var status: SyncStatus
    /// Whether the PDF is on this machine. If so, `Message.pdfReady` follows by itself; if not, the program asks for
    /// the download.
    package var hasPDF: Bool
    /// The name under which new records are made, when it is known (`--author`, configuration, remembered).
    package var author: String?
    /// The group for new records in place of the token's; nil: the token decides.
    package var groupChoice: LayerMetadata.GroupChoice?
    /// Texts that were being written when the editor was left, kept by `Effect.saveDraft`.
    package var drafts: [DraftKey: String]
    /// Set when edits are turned off on the command line (`--read-only`).
    package var isReadOnly: Bool
    /// A PDF from the disk, in no layer: shown, never synced, not to be written on.
    package var isLocal: Bool

    package init(
        reference: LayerReference, title: String? = nil, status: SyncStatus, hasPDF: Bool, author: String? = nil,
        groupChoice: LayerMetadata.GroupChoice? = nil,
        drafts: [DraftKey: String] = [:], isReadOnly: Bool = false, isLocal: Bool = false
    ) {
        self.reference = reference
        self.title = title
        self.status = status
        self.hasPDF = hasPDF
        self.author = author
        self.groupChoice = groupChoice
        self.drafts = drafts
        self.isReadOnly = isReadOnly
        self.isLocal = isLocal
    }
}

/// What a kept draft belongs to.
package enum DraftKey: Hashable, Sendable {
    /// The text of a record that is being changed.
    case record(String)
    /// A new note on this page, counted from 0.
    case note(page: Int)
    /// A reply to this annotation.
    case reply(String)
    /// The first comment of a thread on this page.
    case comment(page: Int)
    /// The texts of these records, written as one.
    case together([String])
}
