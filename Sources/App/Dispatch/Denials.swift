import Annotations
import Authorization
import InstantCore
import PageLayout

// Why a command is unavailable. The reason dims the key in the footer, and appears when the user presses it.
extension AppState {
    /// Returns nil if the command is available, or will be as soon as the file can be edited.
    func denial(of command: Command) -> String? { waitsForFile(command) ? nil : fullDenial(of: command) }

    /// Returns nil if the command is available at this moment.
    func fullDenial(of command: Command) -> String? {
        guard let document, prompt == nil, help == nil else { return nil }
        if hasPictureKeys, [.zoomIn, .zoomOut].contains(command) { return nil }
        switch command {
        case .highlight, .underline, .strikeOut, .squiggly:
            return document.denialOfCreation ?? (document.page.selection == nil ? "select words first (v)" : nil)
        case .repeatMark:
            if document.lastMark == nil { return "nothing to repeat: no words were marked yet" }
            return document.denialOfCreation ?? (document.page.selection == nil ? "select words first (v)" : nil)
        case .acceptThis, .rejectThis: return document.denialOfState
        case .comment: return document.denialOfCreation
        case .reply: return document.denialOfReply
        case .resolve: return document.denialOfState
        case .note where !document.outbox.isOpen: return document.denialOfCreation
        case .edit, .editExternally, .recolor: return document.denialOfEdit
        case .delete: return document.denialOfChange { .delete($0) }
        case .undo, .redo: return document.isOpeningForEdits ? EditDenial.opening.description : nil
        case .theirs where overlay == .outbox: return document.outbox.denialOfTheirs
        case .dropDraft: return document.outbox.denialOfDropping
        case .saveUnsent where overlay == .outbox && document.outbox.currentDraft != nil: return nil
        case .saveUnsent where overlay == .outbox && document.outbox.items.isEmpty:
            return document.outbox.copies.isEmpty
                ? "everything is sent" : "what is unsent was made under another address; Enter sends it here"
        case .sync, .token, .saveUnsent, .present, .follow:
            if document.isLocal { return FileDenial.ownFile }
            return command == .present
                ? document.denialOfPresenting : command == .follow ? document.denialOfFollowing : nil
        case .download: return document.pdf.info == nil ? nil : "the PDF is on this machine already"
        case .picture: return document.pdf.info == nil ? "the PDF is not downloaded yet" : nil
        case .zoomIn where document.page.view == .reading, .zoomOut where document.page.view == .reading:
            return "zoom needs the layout view (L)"
        case .selectCharacters, .selectRows, .changeView:
            return document.focus == .page && document.page.glyphs?.isEmpty != false ? "this page has no text" : nil
        default: return nil
        }
    }

    /// Returns an alternative to an unavailable command.
    func instead(of command: Command) -> Notice.Hint? {
        guard command == .reply, let document, let row = document.currentRow, !row.kind.beginsThreads,
            document.denialOfCreation == nil
        else { return nil }
        return Notice.Hint(command: .note, effect: "to add a note instead")
    }
}

extension AppState {
    /// Warns that the user will not see a record that is about to be created: it would disappear once it is sent.
    mutating func warnIfHidden(_ type: ContentType) {
        guard let document, let grant = document.status.grant,
            let denial = grant.viewDenial(ofNew: type, in: document.groupForNew)
        else { return }
        let noun = type == .comments ? "comment" : "annotation"
        notice = .warning("You will not see this \(noun): viewing it \(denial)")
    }
}

extension DocumentState {
    /// Why no record can be created.
    var denialOfCreation: String? { denial { _ in .createAnnotation(group: groupForNew) } }

    /// Why no record can be changed.
    var denialOfWriting: String? {
        let denial = editDenial { _ in .createAnnotation(group: groupForNew) }
        if case .denied = denial, status.grant?.mayWrite == true { return nil }
        return denial?.description
    }

    /// The row that commands act on.
    var currentRow: ListRow? { focus == .page ? page.currentRow : list.current }

    var denialOfEdit: String? {
        guard focus == .thread, let comment = thread.current else {
            return denialOfChange { .edit($0) } ?? partDenial(of: currentRow?.warning)
        }
        return denial { _ in .editing(comment) }
            ?? comment.content.readInPart.map { InvalidContent.readInPart($0).description }
    }

    /// Why an annotation cannot be edited of which only a part was read, by its warning.
    private func partDenial(of warning: String?) -> String? {
        guard focus != .list || list.marks.isEmpty, let rest = warning?.dropping(prefix: Content.partWarning) else {
            return nil
        }
        return InvalidContent.readInPart(String(rest.parted(atFirst: ";")?.before ?? rest)).description
    }

    func denialOfChange(_ operation: (Subject) -> Operation) -> String? {
        // Marked records are checked one by one after they are loaded.
        if focus == .list, !list.marks.isEmpty { return denialOfWriting }
        if focus == .thread {
            guard let comment = thread.current else { return "no comments" }
            return denial { _ in operation(Subject(comment)) }
        }
        guard let row = currentRow else { return focus == .page ? "no mark at the cursor" : "the list is empty" }
        if row.isDeletedRoot { return Self.onlyCommentsLeft }
        return denial { _ in operation(row.subject) }
    }

    static let onlyCommentsLeft = "this annotation was deleted; only its comments remain"

    func denial(_ operation: (Grant) -> Operation) -> String? { editDenial(operation)?.description }

    func editDenial(_ operation: (Grant) -> Operation) -> EditDenial? {
        if isReadOnly { return .openedReadOnly }
        switch file?.condition {
        case .opening: return .opening
        case .readOnly(let why): return .fileReadOnly(why)
        case .ready, .writing, .merging, .silent, .missing, .unwritable, nil: break
        }
        guard let grant = status.grant else { return isLocal ? .opening : .noToken }
        guard case .denied(let why) = grant.decide(operation(grant)) else { return nil }
        return .denied(why)
    }

    /// Returns a short description of what the user may not do with this record; nil if nothing is restricted or if the
    /// whole layer is read-only, which the status line shows.
    func shortRights(over row: ListRow) -> String? {
        guard !row.isDeletedRoot, let grant = status.grant, grant.mayWrite, grant.collaboration != nil else {
            return nil
        }
        let mayEdit = grant.decide(.edit(row.subject)).isAllowed
        let mayDelete = grant.decide(.delete(row.subject)).isAllowed
        switch (mayEdit, mayDelete) {
        case (true, true): return nil
        case (true, false): return "no delete"
        case (false, true): return "delete only"
        case (false, false): return row.createdBy.isExactly(grant.userID) ? "read-only" : "read-only: not yours"
        }
    }

    /// Returns `you may edit and delete`, or why nothing can be changed.
    func fullRights(over row: ListRow) -> String {
        if row.isDeletedRoot { return "only its comments remain" }
        guard denialOfWriting == nil, status.grant?.collaboration != nil else {
            return editDenial { _ in .edit(row.subject) }.map(Self.readOnly) ?? ""
        }
        let all: [(String, Operation)] = [
            ("edit", .edit(row.subject)), ("delete", .delete(row.subject)),
            ("move to another group", .move(row.subject, to: row.group)),
        ]
        let may = all.filter { what in denial { _ in what.1 } == nil }.map(\.0)
        let why = editDenial { _ in .edit(row.subject) }
        if may.isEmpty { return why.map(Self.readOnly) ?? "read-only" }
        let list = may.dropLast().joined(separator: ", ") + (may.count > 1 ? " and " : "") + may[may.count - 1]
        return "you may \(list)" + (why.map { "; you may not edit: \($0)" } ?? "")
    }

    /// Adds `read-only`, unless the reason already states it.
    private static func readOnly(_ why: EditDenial) -> String {
        why.saysReadOnly || why.isOfFile ? why.description : "read-only: \(why)"
    }
}

extension DocumentState {
    /// Returns what would allow a refused command, as sentences.
    ///
    /// - Parameter key: The key that opens the token card.
    func remedy(for command: Command, key: String) -> String {
        let denial: EditDenial? =
            switch command {
            case .highlight, .underline, .strikeOut, .squiggly, .repeatMark, .comment, .note, .undo, .redo, .outbox,
                .sync, .token,
                .saveUnsent:
                editDenial { _ in .createAnnotation(group: groupForNew) }
            case .edit, .editExternally, .recolor: recordDenial { .edit($0) }
            case .delete: recordDenial { .delete($0) }
            case .reply:
                currentRow.flatMap { row in
                    editDenial { .createComment(root: row.subject, first: row.replies == 0, group: $0.defaultGroup) }
                }
            case .resolve, .acceptThis, .rejectThis:
                currentRoot.flatMap { row in editDenial { .setState(root: row.subject, group: $0.defaultGroup) } }
            default: nil
            }
        return denial?.remedy(key: key) ?? "Nothing else is missing: the sentence above says what to do."
    }

    private func recordDenial(_ operation: (Subject) -> Operation) -> EditDenial? {
        if focus == .list, !list.marks.isEmpty { return editDenial { .createAnnotation(group: $0.defaultGroup) } }
        if focus == .thread {
            return thread.current.flatMap { comment in editDenial { _ in operation(Subject(comment)) } }
        }
        return currentRow.flatMap { row in editDenial { _ in operation(row.subject) } }
    }
}

extension EditDenial {
    /// What would allow the command.
    fileprivate func remedy(key: String) -> String {
        switch self {
        case .opening: return "It takes a moment. What you press meanwhile is done then."
        case .fileReadOnly: return "Once that is mended, close the file and open it again."
        case .openedReadOnly: return "Start postilla without --read-only."
        case .noToken: return "Press \(key) to enter a token."
        case .denied(.lacks(let permission)):
            return "A token with the permission \"\(permission.rawValue)\" allows it. Ask for one where you got this "
                + "token, then press \(key)."
        case .denied(.needs(let permissions)):
            let any = permissions.count > 1 ? "any of these permissions" : "this permission"
            return "A token with \(any) allows it: \(permissions.map(\.explained).joined(separator: ", ")). "
                + "Then press \(key)."
        case .denied(.formField): return "No token allows it: postilla does not fill form fields."
        case .denied(.stateOfAnother): return "Only the person who set the state can change it. Set your own instead."
        }
    }
}

/// Why a record cannot be changed.
enum EditDenial: Equatable, Sendable, CustomStringConvertible {
    /// A PDF from disk, which cannot be edited yet.
    case opening
    /// A PDF from disk, which cannot be edited. Why, as part of a sentence.
    case fileReadOnly(String)
    /// Opened with `--read-only`.
    case openedReadOnly
    case noToken
    /// Denied by the token.
    case denied(Denial)

    var description: String {
        switch self {
        case .opening: "still opening for editing"
        case .fileReadOnly(let why): "read-only: \(why)"
        case .openedReadOnly: "read-only: opened with --read-only"
        case .noToken: "no token accepted yet; editing is disabled"
        case .denied(let why): why.description
        }
    }

    /// Whether the description already states that the layer is read-only.
    var saysReadOnly: Bool {
        if case .fileReadOnly = self { return true }
        return self == .openedReadOnly || self == .denied(.lacks(.write))
    }

    /// Whether the file on disk is the reason.
    var isOfFile: Bool {
        switch self {
        case .opening, .fileReadOnly: true
        case .openedReadOnly, .noToken, .denied: false
        }
    }
}

extension ListRow {
    /// The properties that permissions depend on.
    var subject: Subject {
        Subject(kind == .comment ? .comments : .annotations, createdBy: createdBy, group: group)
    }
}
