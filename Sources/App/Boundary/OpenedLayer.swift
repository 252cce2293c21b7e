import Annotations
package import InstantCore

/// The data available about a layer right after it is opened, before any request to the server.
package struct OpenedLayer: Hashable, Sendable {
    package var reference: LayerReference
    /// The document's title or file name, uncleaned; nil shows the document's id instead.
    package var title: String?
    package var status: SyncStatus
    /// Whether the PDF is on this machine. If true, `Message.pdfReady` follows; if false, the program requests the
    /// download.
    package var hasPDF: Bool
    /// The author name for new records, if known (`--author`, configuration, earlier answer).
    package var author: String?
    /// The group of new records; nil uses the token's default.
    package var groupChoice: LayerMetadata.GroupChoice?
    /// Texts that were not saved as edits, stored by `Effect.saveDraft`.
    package var drafts: [DraftKey: String]
    /// Whether edits are disabled on the command line (`--read-only`).
    package var isReadOnly: Bool
    /// The PDF on disk that this layer is for; nil for a layer on a server.
    package var file: FileStatus?
    /// Where the person was, if this is known.
    package var reading: ReadingPlace?
    /// The steps of earlier runs that can be undone, oldest first, with ascending numbers.
    package var undoable: [EditStep]

    package init(
        reference: LayerReference, title: String? = nil, status: SyncStatus, hasPDF: Bool, author: String? = nil,
        groupChoice: LayerMetadata.GroupChoice? = nil,
        drafts: [DraftKey: String] = [:], isReadOnly: Bool = false, file: FileStatus? = nil,
        reading: ReadingPlace? = nil, undoable: [EditStep] = []
    ) {
        self.reading = reading
        self.undoable = undoable
        self.reference = reference
        self.title = title
        self.status = status
        self.hasPDF = hasPDF
        self.author = author
        self.groupChoice = groupChoice
        self.drafts = drafts
        self.isReadOnly = isReadOnly
        self.file = file
    }
}

/// The target of a stored draft.
package enum DraftKey: Hashable, Sendable {
    /// The text of an existing record.
    case record(String)
    /// A new note on this page, counted from 0.
    case note(page: Int)
    /// A reply to this annotation.
    case reply(String)
    /// The first comment of a thread on this page.
    case comment(page: Int)
    /// The texts of these records, edited as one text.
    case together([String])

    /// Compared by bytes: a text must not become the draft of a record whose id only looks the same.
    package static func == (one: DraftKey, other: DraftKey) -> Bool {
        switch (one, other) {
        case (.record(let one), .record(let other)), (.reply(let one), .reply(let other)): one.isExactly(other)
        case (.note(let one), .note(let other)), (.comment(let one), .comment(let other)): one == other
        case (.together(let one), .together(let other)): one.elementsEqual(other) { $0.isExactly($1) }
        default: false
        }
    }
}
