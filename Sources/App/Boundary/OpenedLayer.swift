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

/// The target of a stored draft: a record and a purpose.
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
    /// The merge of two versions of this record's text. `of` names the versions.
    case merge(String, of: String)

    /// Compared by bytes: a text must not become the draft of a record whose id only looks the same.
    package static func == (one: DraftKey, other: DraftKey) -> Bool {
        switch (one, other) {
        case (.record(let one), .record(let other)), (.reply(let one), .reply(let other)): one.isExactly(other)
        case (.note(let one), .note(let other)), (.comment(let one), .comment(let other)): one == other
        case (.together(let one), .together(let other)): one.elementsEqual(other) { $0.isExactly($1) }
        case (.merge(let one, let versions), .merge(let other, let others)):
            one.isExactly(other) && versions.isExactly(others)
        default: false
        }
    }
}

extension DraftKey {
    /// The records without which the draft cannot be opened again.
    package var records: [String] {
        switch self {
        case .record(let id), .reply(let id), .merge(let id, _): [id]
        case .together(let ids): ids
        case .note, .comment: []
        }
    }

    /// The page of a draft without a record, counted from 0.
    package var page: Int? {
        switch self {
        case .note(let page), .comment(let page): page
        case .record, .reply, .together, .merge: nil
        }
    }

    /// `draft of a reply`
    var name: String {
        switch self {
        case .record: "draft of a text"
        case .note: "draft of a note"
        case .reply: "draft of a reply"
        case .comment: "draft of a comment"
        case .together(let ids): "draft of \(ids.count) texts"
        case .merge: "draft of a merge"
        }
    }
}

/// What became of a draft that was to be stored.
package enum DraftFate: Hashable, Sendable {
    case stored
    /// It lasts until the tab is closed: nothing is written for this layer.
    case inMemory
    /// Why it is not stored, with the name of the file.
    case failed(String)
}
