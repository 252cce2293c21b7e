import Annotations

/// A text of a record being written in the program.
struct Editor: Equatable, Sendable {
    enum Target: Equatable, Sendable {
        /// The record as it was when writing began.
        case record(Record)
        /// A new note: page, counted from 0, and the corner of its icon.
        case newNote(page: Int, corner: Point)
        /// What is to stand instead of both sides of a conflict.
        case merge(Record.ID, Content)
        /// A comment under this annotation.
        case reply(Record)
        /// The first comment of a thread: its root is made with it, and what was marked on other pages.
        case newThread(Content, besides: [Content])
        /// Several records, as they were when writing began.
        case together([Record])
    }

    let target: Target
    let title: String
    var input: TextInput
    /// What the text was, so that an untouched one leaves no draft.
    let original: String
    /// The record as someone else has made it meanwhile.
    var theirs: Record?
    var theirAuthor: String?
    /// When the draft was kept last, and of what text.
    var savedAt: Timestamp?
    var saved: String?

    init(_ target: Target, title: String, text: String, draft: String? = nil) {
        self.target = target
        self.title = title
        input = TextInput(draft ?? text)
        original = text
    }

    var isChanged: Bool { input.text != original }

    var draftKey: DraftKey {
        switch target {
        case .record(let record): .record(record.id)
        case .newNote(let page, _): .note(page: page)
        case .merge(let id, _): .record(id)
        case .reply(let root): .reply(root.id)
        case .newThread(let root, _): .comment(page: Int(clamping: root["pageIndex"]?.integer ?? 0))
        case .together(let records): .together(records.map(\.id))
        }
    }
}
