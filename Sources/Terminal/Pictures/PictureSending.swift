package import Screen

/// A picture that is on the terminal or being sent to it.
struct PictureSending {
    let text: PictureText
    let place: Position
    /// Cursor position to restore afterwards. The terminal cannot save it: some have a single saved position, which
    /// includes the cursor's visibility and is used when the program ends.
    let cursor: Position
    /// Number of pieces sent.
    private(set) var sent = 0

    init(_ text: PictureText, at place: Position, cursor: Position) {
        (self.text, self.place, self.cursor) = (text, place, cursor)
    }

    var isWhole: Bool { sent == text.pieces.count }
    var isAmid: Bool { sent > 0 && !isWhole }

    /// Returns the next piece; the last one moves the cursor back to where ncurses expects it.
    mutating func next() -> [UInt8] {
        guard !isWhole else { return [] }
        let isFirst = sent == 0
        let piece = text.pieces[sent]
        sent += 1
        return (isFirst ? Self.move(to: place) : []) + piece + (isWhole ? Self.move(to: cursor) : [])
    }

    /// Ends a partly sent picture and removes it from the screen.
    var withdrawal: [UInt8] { (isAmid ? text.end + Self.move(to: cursor) : []) + (sent > 0 ? text.removal : []) }

    private static func move(to place: Position) -> [UInt8] {
        Array("\u{1B}[\(place.row + 1);\(place.column + 1)H".utf8)
    }
}

/// A terminal's picture protocol.
package enum PictureFormat: Hashable, Sendable {
    /// kitty's graphics protocol, also in ghostty, WezTerm and Konsole.
    case kitty
    /// The same through tmux: cells of the screen stand for the picture, which has this number, 16 to 255.
    case placeholders(id: UInt8)
    /// DEC's protocol, in xterm, foot, mlterm and others.
    case sixel

    /// The queries, ordered so that the last answer belongs to the last query. tmux answers the last one itself, before
    /// the answer of its terminal comes.
    static func query(throughTmux: Bool) -> [UInt8] {
        let graphics = Array("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\".utf8)
        return (throughTmux ? PictureText.passedThrough(graphics) : graphics) + Array("\u{1B}[c".utf8)
    }

    /// Selects a format from the answers; nil without picture support.
    ///
    /// - Parameter tmux: A number for the picture, if the terminal is in tmux.
    package init?(_ reports: [TerminalReport], tmux: UInt8? = nil) {
        if reports.contains(.graphics(isUnderstood: true)) {
            self = tmux.map(Self.placeholders) ?? .kitty
        } else if reports.contains(where: { if case .attributes(let list) = $0 { list.contains(4) } else { false } }) {
            self = .sixel
        } else {
            return nil
        }
    }
}
