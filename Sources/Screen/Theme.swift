/// A style for each role on the screen. Views use roles; only themes define colours. Each role with a meaning also has
/// an attribute or text that identifies it, so colour is never the only cue.
package struct Theme: Hashable, Sendable {
    /// The terminal's colours that the theme is made for; nil for any.
    package var ground: Ground?
    /// The contrast that its texts have.
    package var contrastOfText = MarkColors.contrastOfText

    package var text = Style.normal
    package var title = Style(.bold)
    package var heading = Style(.bold)
    package var dimmed = Style(.dim)
    package var rule = Style(.dim)
    package var statusLine = Style(.dim)
    /// A mode or a warning in the status line that must not be overlooked.
    package var loud = Style([.bold, .reverse])
    /// Among the completions shown, the one that Tab has put into the line.
    package var completion = Style([.bold, .underline])
    package var footer = Style.normal
    package var footerKey = Style(.bold)
    package var prompt = Style(.bold)
    package var input = Style(.underline)
    package var notice = Style(.bold)
    package var warning = Style(.bold)
    package var error = Style(.bold)
    package var progress = Style(.reverse)
    /// The current row of the focused pane, and of other panes.
    package var selection = Style(.bold)
    package var inactiveSelection = Style(.bold)
    /// The range of words being selected on a page.
    package var selectedText = Style([.bold, .underline])
    package var searchMatch = Style([.bold, .underline])
    /// The letters that follow a link.
    package var hint = Style([.bold, .underline])
    package var unread = Style(.bold)
    /// A recent addition or change by another person.
    package var flash = Style([.bold, .underline])
    package var unsent = Style(.bold)
    package var conflict = Style(.bold)
    /// Marks on a page, where reverse is reserved for the cursor.
    package var highlightMark = Style(.bold)
    package var underlineMark = Style(.underline)
    package var strikeOutMark = Style(.dim)
    package var squigglyMark = Style(.underline)
    /// Added to the mark under the cursor.
    package var litMark = Style(.bold)
    package var noteMark = Style(.bold)
    package var otherMark = Style(.bold)
    package var presenting = Style(.bold)
    package var card = Style.normal
    package var cardTitle = Style(.bold)
    /// The rule of an overlay, and the title and the cursor bar of the focused pane.
    package var accent = Style(.bold)
    /// Everything behind an overlay.
    package var covered = Style(.dim)

    /// No colour (`NO_COLOR`, or a terminal without colours).
    package static let plain = Theme()

    /// The terminal's own colours on an unknown background, where none is readable for certain: attributes only.
    package static let standard = Theme.named(on: nil)
}
