/// A style for each role on the screen. Views name the role; only themes know colours. Each role that means
/// something is told apart by an attribute, or by the text that wears it, too: colour only helps.
package struct Theme: Hashable, Sendable {
    package var text = Style.normal
    package var title = Style(.bold)
    package var heading = Style(.bold)
    package var dimmed = Style(.dim)
    package var rule = Style(.dim)
    package var statusLine = Style(.reverse)
    /// The word that Tab has put into the line, among the others.
    package var completion = Style([.bold, .underline])
    package var footer = Style.normal
    package var footerKey = Style(.bold)
    package var prompt = Style(.bold)
    package var input = Style(.underline)
    package var notice = Style(.bold)
    package var warning = Style(.bold)
    package var error = Style(.bold)
    package var progress = Style(.reverse)
    /// The current row of the pane that takes the keys, and of one that does not.
    package var selection = Style(.reverse)
    package var inactiveSelection = Style(.bold)
    /// The range of words being chosen on a page.
    package var selectedText = Style([.bold, .underline])
    package var searchMatch = Style([.bold, .underline])
    /// The letters that follow a link.
    package var hint = Style([.bold, .underline])
    package var unread = Style(.bold)
    /// What another person has just added or changed.
    package var flash = Style([.bold, .underline])
    package var unsent = Style(.bold)
    package var conflict = Style(.bold)
    /// Marks on a page. The terminal's reverse is the cursor's alone.
    package var highlightMark = Style(.bold)
    package var underlineMark = Style(.underline)
    package var strikeOutMark = Style(.dim)
    package var squigglyMark = Style(.underline)
    package var noteMark = Style(.bold)
    package var otherMark = Style(.bold)
    package var presenting = Style(.bold)
    package var card = Style.normal
    package var cardTitle = Style(.bold)

    /// No colour at all (`NO_COLOR`, a terminal without).
    package static let plain = Theme()

    /// The terminal's own sixteen colours, and of these only such as can be read on light and on dark backgrounds:
    /// neither white, black nor the bright ones as foreground, no background colours.
    package static let standard: Theme = {
        var theme = Theme()
        theme.heading.foreground = .blue
        theme.footerKey.foreground = .blue
        theme.prompt.foreground = .blue
        theme.notice.foreground = .cyan
        theme.warning.foreground = .magenta
        theme.error.foreground = .red
        theme.searchMatch.foreground = .magenta
        theme.hint.foreground = .magenta
        theme.unread.foreground = .cyan
        theme.flash.foreground = .magenta
        theme.unsent.foreground = .magenta
        theme.conflict.foreground = .red
        theme.highlightMark.foreground = .green
        theme.underlineMark.foreground = .green
        theme.strikeOutMark.foreground = .red
        theme.squigglyMark.foreground = .magenta
        theme.noteMark.foreground = .cyan
        theme.otherMark.foreground = .cyan
        theme.presenting.foreground = .green
        theme.cardTitle.foreground = .blue
        return theme
    }()
}
