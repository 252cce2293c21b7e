/// The characters that rules, frames and signs are drawn with: thin lines where the terminal shows UTF-8, else ASCII.
package struct LineArt: Hashable, Sendable {
    package let horizontal: Character
    package let vertical: Character
    /// Where a horizontal rule leaves a vertical one to the right.
    package let tee: Character
    /// Corners of a frame: top left, top right, bottom left, bottom right.
    package let corners: [Character]
    /// The cursor row of the focused pane.
    package let bar: Character
    /// Ends and thumb of a scroll bar.
    package let scrollUp: Character
    package let scrollDown: Character
    package let thumb: Character
    /// Before a participant's name.
    package let person: CleanText
    package let done: CleanText
    /// Between the parts of a path, and between the parts of a title.
    package let path: CleanText
    package let dot: CleanText
    /// Before a reply.
    package let branch: CleanText
    package let quotes: (open: CleanText, close: CleanText)

    package static let unicode = LineArt(
        horizontal: "─", vertical: "│", tee: "├", corners: ["┌", "┐", "└", "┘"], bar: "▌", scrollUp: "▲",
        scrollDown: "▼", thumb: "█", person: "● ", done: "✓ ", path: " › ", dot: " · ", branch: "└ ",
        quotes: ("“", "”"), isUTF8: true)

    package static let ascii = LineArt(
        horizontal: "-", vertical: "|", tee: "+", corners: ["+", "+", "+", "+"], bar: ">", scrollUp: "^",
        scrollDown: "v", thumb: "#", person: "@", done: "", path: " / ", dot: " - ", branch: "` ",
        quotes: ("\"", "\""), isUTF8: false)

    private let isUTF8: Bool

    package static func == (left: LineArt, right: LineArt) -> Bool { left.isUTF8 == right.isUTF8 }

    package func hash(into hasher: inout Hasher) { hasher.combine(isUTF8) }
}
