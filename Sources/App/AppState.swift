package import Annotations
package import PageLayout
package import Screen

/// The whole state of the program. A value: `update` changes it, `view` draws it.
package struct AppState: Equatable, Sendable {
    /// What the program opens at startup.
    package enum Start: Equatable, Sendable {
        case library
        /// A layer stored on this machine.
        case layer(LayerReference)
        /// A layer named by a token, stored on this machine or not.
        case join(server: String, token: TokenText)
        /// A PDF file on disk.
        case file(String)
        /// A server only: shows the library and the card that asks for a token of a layer on that server.
        case ask(server: String)
    }

    package internal(set) var size: Size
    package internal(set) var now = Timestamp(milliseconds: 0)
    package internal(set) var hasQuit = false
    /// The exit that waits until all edits are saved.
    var departure: Departure?
    /// Whether the user has agreed to lose what cannot be kept.
    var acceptsLoss = false
    var ids: IDGenerator
    package private(set) var theme: Theme
    /// What the user chose; the theme follows the terminal's colours. nil keeps `theme`.
    private let themeChoice: ThemeChoice?
    /// The characters for rules and signs.
    let art: LineArt
    /// Colours for marks and people.
    private(set) var markColors: MarkColors
    /// How marks are shown.
    let markStyle: MarkStyle
    /// Offset of the user's wall clock from UTC, in seconds; positive is ahead.
    package let utcOffset: Int
    package let keymap: Keymap
    /// The page view until the user chooses one; nil selects the layout view if the columns fit, else the reading view.
    let pageView: TypesetPage.View?
    /// The command line with which others can join, if known.
    let invitation: String?
    /// Whether changes by others are highlighted briefly. If false, the screen never changes on its own.
    let flashesChanges: Bool
    /// Whether page and list move together.
    let followsCursor: Bool
    let begin: Start

    var library = LibraryState()
    /// Whether the user can return to a library.
    var hasLibrary: Bool
    /// The layer on the screen; nil while the library is shown.
    var document: DocumentState?
    /// The other open layers.
    var tabs = Tabs()
    /// The layer being opened, or the reason why opening failed.
    var opening: Opening?

    var keys = KeyReader()
    /// What the next key, a letter, is for.
    var letterUse: LetterUse?
    /// The sentence on the screen, if any.
    var shownNotice: ShownNotice?
    var messages = MessageLog()
    /// The keys without a meaning that the user has been told about.
    var unboundKeys: Set<Key> = []
    /// What was refused since this key, and what by the one before it; help explains it.
    var refused: Refusal?
    var refusedBefore: Refusal?
    /// What the last tab said when it closed, for the end of the program.
    var lastWords: [String] = []
    var prompt: Prompt?
    var picker: Picker?
    var history = CommandHistory()
    var token: TokenCard?
    var picture: ShownPicture?
    /// Whether a page without text is shown as a picture; false without a screen.
    package var showsPicturesAlone = true
    var help: HelpState?
    /// The topmost overlay after the last message.
    var focused: Overlay?

    /// - Parameters:
    ///   - begin: What to open at startup. If it is a layer or a file, closing the last tab quits the program, unless
    ///     the user has opened the library since.
    ///   - seed: Random bits for the ids of new records.
    package init(
        begin: Start, size: Size, theme: Theme = .standard, themeChoice: ThemeChoice? = nil,
        art: LineArt = .unicode, depth: ColorDepth = .many, markStyle: MarkStyle = MarkStyle(),
        utcOffset: Int = 0, keymap: Keymap = .standard,
        pageView: TypesetPage.View? = nil, flashesChanges: Bool = true, followsCursor: Bool = true,
        invitation: String? = nil,
        seed: (UInt64, UInt64)
    ) {
        self.begin = begin
        self.size = size
        let theme = themeChoice?.theme(depth, nil) ?? theme
        self.theme = theme
        self.themeChoice = themeChoice
        self.art = art
        self.markStyle = markStyle
        markColors = MarkColors(depth: depth, ground: theme.ground, theme: theme)
        self.utcOffset = utcOffset
        self.keymap = keymap
        self.pageView = pageView
        self.flashesChanges = flashesChanges
        self.followsCursor = followsCursor
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

    /// The terminal has told its colours.
    mutating func groundCame(_ ground: Ground) {
        let depth = markColors.depth
        if let themeChoice { theme = themeChoice.theme(depth, ground) }
        markColors = MarkColors(depth: depth, ground: ground, theme: theme)
    }

    /// Shows a notice without requesting any effect.
    mutating func only(_ notice: Notice) -> [Effect] {
        self.notice = notice
        return []
    }
}

/// How marked words are shown, as the user set it.
package struct MarkStyle: Equatable, Sendable {
    /// Whether brackets stand around them even where colours can be shown.
    package var hasBrackets: Bool
    /// Whether words struck out get a line through each letter (U+0336), which some fonts do not draw well.
    package var combinesStrike: Bool

    package init(hasBrackets: Bool = false, combinesStrike: Bool = false) {
        (self.hasBrackets, self.combinesStrike) = (hasBrackets, combinesStrike)
    }
}

extension AppState {
    /// What is said of a layer or a file that the program was started with and that cannot be opened.
    var cannotOpen: CleanText {
        if case .file = begin { return "Cannot open this file" }
        return "Cannot open this layer"
    }
}

/// The state between the request for a layer and its arrival.
struct Opening: Equatable, Sendable {
    /// Why opening failed, as a sentence.
    var problem: String?
}
