import Annotations

/// The words of the line-oriented interface. Typed commands of the screen's command line are also accepted.
enum PlainWord: String, Hashable, Sendable, CaseIterable {
    case read, next, previous, find
    case list, more, new, mentions, show
    case note, highlight, underline, squiggly
    case strikeOut = "strike-out"
    case reply, state, edit, delete
    case outbox, mine, theirs, save
    case sync, token, status, announce
    case open, add, demo, library, remove
    case help, quit

    var help: String {
        switch self {
        case .read: "read the page, one sentence per line, with its marks"
        case .next: "next page"
        case .previous: "previous page"
        case .find: "find WORDS: list the sentences of the page that contain them"
        case .list: "list WORDS: list annotations; words, unread, resolved, kind:note, by:ana, page:3"
        case .more: "continue the list"
        case .new: "list the unread annotations"
        case .mentions: "list what mentions you"
        case .show: "show N: show the full text of annotation N"
        case .note: "note WORDS: add a note next to these words; without WORDS, on the page"
        case .highlight: "highlight WORDS: highlight words of the page"
        case .underline: "underline WORDS: underline words of the page"
        case .squiggly: "squiggly WORDS: underline words of the page with a squiggly line"
        case .strikeOut: "strike-out WORDS: strike out words of the page"
        case .reply: "reply N: reply to annotation N"
        case .state: "state N NAME: set the state of annotation N: accepted, rejected, cancelled, completed, none"
        case .edit: "edit N: edit the text of annotation N in your editor"
        case .delete: "delete N: delete annotation N"
        case .outbox: "show unsent edits and conflicts"
        case .mine: "mine N: keep yours and resend your edit on top of theirs"
        case .theirs: "theirs N: keep theirs, drop your edit"
        case .save: "save unsent edits to a file"
        case .sync: "sync now and wait for the result"
        case .token: "enter a new token"
        case .status: "show the current place and the state of sync"
        case .announce: "announce on or announce off: whether changes by others are announced"
        case .open: "open N: open layer N of the library; open FILE: open a PDF from disk"
        case .add: "add SERVER: add a layer from this server, with a token"
        case .demo: "start a demo server with sample documents"
        case .library: "leave the layer"
        case .remove: "remove N: remove layer N from this machine; in a layer, this layer"
        case .help: "show this list"
        case .quit: "quit; unsent edits stay on this machine"
        }
    }

    /// Whether the word is available while no layer is open.
    var isForLibrary: Bool {
        switch self {
        case .list, .open, .add, .demo, .remove, .help, .quit: true
        default: false
        }
    }

    /// Whether the word is available only while no layer is open.
    var isForLibraryOnly: Bool { self == .open || self == .add || self == .demo }

    /// Keys of the screen that are accepted as words.
    private static let letters: [String: PlainWord] = [
        "?": .help, "q": .quit, "J": .next, "K": .previous, "O": .outbox, "T": .token, "S": .sync, "H": .highlight,
        "U": .underline, "X": .strikeOut, "Z": .squiggly, "a": .note, "r": .reply, "e": .edit, "d": .delete, "/": .find,
        "m": .new,
    ]

    init?(typed: String) {
        if let word = PlainWord(rawValue: typed.lowercased()) ?? Self.letters[typed] { self = word } else { return nil }
    }
}

/// The numbers by which the user names annotations. An annotation keeps its number while the layer is open, so changes
/// by others never alter the meaning of a typed `delete 3`.
struct PlainNumbers: Equatable, Sendable {
    private var numbers: [ByteOrdered: Int] = [:]
    private var ids: [Record.ID] = []

    /// Returns the record's number; assigns a new one if it has none.
    mutating func number(of id: Record.ID) -> Int {
        if let number = numbers[ByteOrdered(id)] { return number }
        ids.append(id)
        numbers[ByteOrdered(id)] = ids.count
        return ids.count
    }

    subscript(number: Int) -> Record.ID? {
        ids.indices.contains(number - 1) ? ids[number - 1] : nil
    }
}
