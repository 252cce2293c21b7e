import Annotations

/// The words of the conversation that are not commands of the line after `:`, which are understood as well.
enum PlainWord: String, Hashable, Sendable, CaseIterable {
    case read, next, previous, find
    case list, more, new, show
    case note, highlight, underline, squiggly
    case strikeOut = "strike-out"
    case reply, edit, delete
    case outbox, mine, theirs, save
    case sync, token, status, announce
    case open, add, demo, library, remove
    case help, quit

    var help: String {
        switch self {
        case .read: "read the page, a sentence a line, with its marks"
        case .next: "next page"
        case .previous: "previous page"
        case .find: "find WORDS: sentences of the page that hold them"
        case .list: "list WORDS: annotations; words, unread, kind:note, by:ana, page:3"
        case .more: "go on listing"
        case .new: "list what is unread"
        case .show: "show N: the whole text of annotation N"
        case .note: "note WORDS: a note on the page, beside these words if any are given"
        case .highlight: "highlight WORDS of the page"
        case .underline: "underline WORDS of the page"
        case .squiggly: "squiggly WORDS: a squiggly line under words of the page"
        case .strikeOut: "strike-out WORDS of the page"
        case .reply: "reply N: say something under annotation N"
        case .edit: "edit N: change the text of annotation N in your editor"
        case .delete: "delete N"
        case .outbox: "what waits to be sent, and conflicts"
        case .mine: "mine N: your edit again, over theirs"
        case .theirs: "theirs N: theirs stays, yours is dropped"
        case .save: "save what was not sent to a file"
        case .sync: "sync now, and wait for it"
        case .token: "give a token"
        case .status: "where you are and how sync stands"
        case .announce: "announce off, announce on: whether changes of others are told"
        case .open: "open N: layer N of the library; open FILE: a PDF from the disk"
        case .add: "add SERVER: add a layer by its server and token"
        case .demo: "a server with samples to try everything on"
        case .library: "leave the layer"
        case .remove: "remove N: remove layer N from this machine; in a layer: this one"
        case .help: "all of this"
        case .quit: "end; what is unsent stays here"
        }
    }

    /// Whether it means something while no layer is open.
    var isForLibrary: Bool {
        switch self {
        case .list, .open, .add, .demo, .remove, .help, .quit: true
        default: false
        }
    }

    /// Whether it means something only there.
    var isForLibraryOnly: Bool { self == .open || self == .add || self == .demo }

    /// The keys of the screen that stand for a word here.
    private static let letters: [String: PlainWord] = [
        "?": .help, "q": .quit, "J": .next, "K": .previous, "O": .outbox, "T": .token, "S": .sync, "H": .highlight,
        "U": .underline, "X": .strikeOut, "Z": .squiggly, "a": .note, "r": .reply, "e": .edit, "d": .delete, "/": .find,
        "m": .new,
    ]

    init?(typed: String) {
        if let word = PlainWord(rawValue: typed.lowercased()) ?? Self.letters[typed] { self = word } else { return nil }
    }
}

/// The numbers by which a person names annotations. Each keeps its number as long as the layer is open: what others do
/// never makes a typed `delete 3` mean something else.
struct PlainNumbers: Equatable, Sendable {
    private var numbers: [Record.ID: Int] = [:]
    private var ids: [Record.ID] = []

    /// The record's number, a new one if it has none yet.
    mutating func number(of id: Record.ID) -> Int {
        if let number = numbers[id] { return number }
        ids.append(id)
        numbers[id] = ids.count
        return ids.count
    }

    subscript(number: Int) -> Record.ID? {
        ids.indices.contains(number - 1) ? ids[number - 1] : nil
    }
}
