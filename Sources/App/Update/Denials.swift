import Annotations
import Authorization
import InstantCore

// Why a command cannot be given now. The same answer dims its key in the footer and is said when it is pressed.
extension AppState {
    /// nil: it can.
    func denial(of command: Command) -> String? {
        guard let document, prompt == nil, help == nil else { return nil }
        switch command {
        case .highlight, .underline, .strikeOut, .squiggly:
            return document.denialOfCreation ?? (document.page.selection == nil ? "select words first: v" : nil)
        case .comment: return document.denialOfCreation
        case .reply: return document.denialOfReply
        case .note where !document.outbox.isOpen: return document.denialOfCreation
        case .edit, .editExternally, .recolor: return document.denialOfChange { .edit($0) }
        case .delete: return document.denialOfChange { .delete($0) }
        case .present: return document.denialOfPresenting
        case .follow: return document.denialOfFollowing
        case .picture: return document.pdf.info == nil ? "the PDF is not here yet" : nil
        case .zoomIn where document.page.view == .reading, .zoomOut where document.page.view == .reading:
            return "zoom is for the layout view: L"
        case .selectCharacters, .selectRows, .changeView:
            return document.focus == .page && document.page.glyphs?.isEmpty != false ? "this page shows no text" : nil
        default: return nil
        }
    }

    /// What can be done where a command cannot.
    func instead(of command: Command) -> Notice.Hint? {
        guard command == .reply, let document, let row = document.currentRow, !row.kind.beginsThreads,
            document.denialOfCreation == nil
        else { return nil }
        return Notice.Hint(command: .note, effect: "adds a note beside it")
    }
}

extension DocumentState {
    /// Why nothing can be added.
    var denialOfCreation: String? { denial { _ in .createAnnotation(group: groupForNew) } }

    /// Why nothing at all can be changed.
    var denialOfWriting: String? {
        status.grant?.mayWrite == true && !isLocal && !isReadOnly ? nil : denialOfCreation
    }

    /// The row that a command about "it" is about.
    var currentRow: ListRow? { focus == .page ? page.currentRow : list.current }

    func denialOfChange(_ operation: (Subject) -> Operation) -> String? {
        // Of several each is looked at when they are here.
        if focus == .list, !list.marks.isEmpty { return denialOfWriting }
        if focus == .thread {
            guard let comment = thread.current else { return "there are no comments" }
            return denial { _ in operation(Subject(comment)) }
        }
        guard let row = currentRow else { return focus == .page ? "no mark at the cursor" : "the list is empty" }
        return denial { _ in operation(row.subject) }
    }

    func denial(_ operation: (Grant) -> Operation) -> String? {
        if isLocal { return "LOCAL: this PDF is in no layer; postilla upload puts it on a server" }
        if isReadOnly { return "read-only: opened with --read-only" }
        guard let grant = status.grant else { return "no token was accepted yet, so nothing can be changed" }
        guard case .denied(let why) = grant.decide(operation(grant)) else { return nil }
        return why.description
    }
}

extension ListRow {
    /// What permissions look at.
    var subject: Subject {
        Subject(kind == .comment ? .comments : .annotations, createdBy: createdBy, group: group)
    }
}
