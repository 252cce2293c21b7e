package import Annotations
package import PageLayout
package import Screen

/// All that the program knows and shows. A value: `update` changes it, `view` draws it.
package struct AppState: Equatable, Sendable {
    /// Where the program begins.
    package enum Start: Equatable, Sendable {
        case library
        /// A layer that is on this machine.
        case layer(LayerReference)
        /// A layer named by a token, on this machine or not.
        case join(server: String, token: TokenText)
        /// A PDF on the disk.
        case file(String)
        /// A server alone: the library, and the card that asks for a token naming a layer there.
        case ask(server: String)
    }

    package internal(set) var size: Size
    package internal(set) var now = Timestamp(milliseconds: 0)
    package internal(set) var hasQuit = false
    /// The exit that is pending until all edits are saved; nil when none is.
    var departure: Departure?
    var ids: IDGenerator
    package let theme: Theme
    /// Seconds that the wall clock of the person is ahead of UTC.
    package let utcOffset: Int
    package let keymap: Keymap
    /// How pages are shown until the person chooses; nil: laid out where there is room, else for reading.
    let pageView: TypesetPage.View?
    /// The line that others type to join, where this program knows one.
    let invitation: String?
    /// What others have just done stands out for a moment; false where nothing is to change by itself.
    let flashesChanges: Bool
    let begin: Start

    var library = LibraryState()
    /// Whether there is a library to go back to.
    var hasLibrary: Bool
    /// The layer that is shown; nil: the library is.
    var document: DocumentState?
    /// What is open beside it.
    var tabs = Tabs()
    /// What is being opened, or why it could not be.
    var opening: Opening?

    var keys = KeyReader()
    var notice: Notice?
    var prompt: Prompt?
    var picker: Picker?
    var history = CommandHistory()
    var token: TokenCard?
    var picture: ShownPicture?
    var help: HelpState?

    /// - Parameters:
    ///   - begin: where the program begins; leaving a layer leads to the library only if it began there.
    ///   - seed: random bits, of which the ids of new records are made.
    package init(
        begin: Start, size: Size, theme: Theme = .standard, utcOffset: Int = 0, keymap: Keymap = .standard,
        pageView: TypesetPage.View? = nil, flashesChanges: Bool = true, invitation: String? = nil,
        seed: (UInt64, UInt64)
    ) {
        self.begin = begin
        self.size = size
        self.theme = theme
        self.utcOffset = utcOffset
        self.keymap = keymap
        self.pageView = pageView
        self.flashesChanges = flashesChanges
        self.invitation = invitation
        ids = IDGenerator(seed: seed)
        switch begin {
        case .library: hasLibrary = true
        case .layer, .join, .file:
            hasLibrary = false
            opening = Opening()
        case .ask(let server):
            hasLibrary = true
            token = TokenCard(.join(server: server))
        }
    }

    /// Says something, and does nothing else.
    mutating func only(_ notice: Notice) -> [Effect] {
        self.notice = notice
        return []
    }
}

/// The time between asking for a layer and having it.
struct Opening: Equatable, Sendable {
    /// Why it could not be opened, in a sentence.
    var problem: String?
}

/// A sentence at the foot of the screen, until the next key.
struct Notice: Equatable, Sendable {
    enum Kind: Equatable, Sendable { case done, warning, error }

    /// What could come next: `u takes it back`, by the key that the person has for it.
    struct Hint: Equatable, Sendable {
        var command: Command
        /// What it does, as `takes it back`.
        var effect: String
    }

    var text: String
    var kind: Kind
    var hint: Hint?

    static func done(_ text: String, hint: Hint? = nil) -> Notice { Notice(text: text, kind: .done, hint: hint) }
    static func warning(_ text: String, hint: Hint? = nil) -> Notice { Notice(text: text, kind: .warning, hint: hint) }
    static func error(_ text: String) -> Notice { Notice(text: text, kind: .error) }
}

/// The help over the screen: what was valid where it was asked for.
struct HelpState: Equatable, Sendable {
    var contexts: [KeyContext]
    /// First line shown.
    var top = 0
}
