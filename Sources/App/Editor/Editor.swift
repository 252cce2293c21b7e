import Annotations
import InstantCore

/// A text editor for the text of a record.
struct Editor: Equatable, Sendable {
    enum Target: Equatable, Sendable {
        /// The record as it was when editing began.
        case record(Record)
        /// A new note: page, counted from 0, and the corner of its icon.
        case newNote(page: Int, corner: Point)
        /// The text that replaces both sides of a conflict.
        case merge(Record.ID, Content, of: Conflict.Sides)
        /// A comment under this annotation.
        case reply(Record)
        /// The first comment of a thread. Its root and the marks on other pages are created with it.
        case newThread(Content, besides: [Content])
        /// Several records, as they were when editing began.
        case together([Record])
    }

    let target: Target
    let title: String
    var input: TextInput
    /// The initial text, so that an unchanged text leaves no draft.
    let original: String
    /// The record as changed by another user in the meantime.
    var theirs: Record?
    var theirAuthor: String?
    /// The merge that the text began as; nil for any other text.
    var merge: TextMerge?
    /// Whether the text comes from a buffer from which control characters were removed.
    var isCleaned = false
    /// The names that the word at the cursor can be completed to.
    var completion: NameCompletion?
    /// Whether the list of people to mention has been requested.
    var hasAskedForPeople = false
    /// Whether a name is completed as soon as they are known.
    var awaitsPeople = false
    /// When the draft was last stored, and its text.
    var savedAt: Timestamp?
    var saved: String?

    init(_ target: Target, title: String, text: String, draft: String? = nil) {
        self.target = target
        self.title = title
        input = TextInput(draft ?? text)
        original = text
    }

    var isChanged: Bool { !input.text.isExactly(original) }

    /// Whether the text has something that only the person wrote.
    var isWritten: Bool { isChanged && !(merge?.text).isExactly(input.text) }

    /// Whether the text is one comment, which can name people.
    var isComment: Bool {
        switch target {
        case .reply, .newThread: true
        case .record(let record): record.contentType == .comments
        case .merge(_, let content, _): content.contentType == .comments
        case .newNote, .together: false
        }
    }

    /// A merge has a draft of its own: the marker lines in it do not belong to the record's text.
    var draftKey: DraftKey {
        switch target {
        case .record(let record) where merge != nil: .merge(record.id, of: merge?.name ?? "")
        case .record(let record): .record(record.id)
        case .newNote(let page, _): .note(page: page)
        case .merge(let id, _, _): .merge(id, of: merge?.name ?? "")
        case .reply(let root): .reply(root.id)
        case .newThread(let root, _): .comment(page: Int(clamping: root["pageIndex"]?.integer ?? 0))
        case .together(let records): .together(records.map(\.id))
        }
    }

    /// The drafts that a saved text replaces: a merge has what the person wrote before it.
    var draftsReplaced: [DraftKey] {
        if case .record(let record) = target, merge != nil { [draftKey, .record(record.id)] } else { [draftKey] }
    }
}
