package import Screen

/// A picture on its way to the terminal, or there.
struct PictureSending {
    let text: PictureText
    let place: Position
    /// Where the cursor has to be again behind it. To have the terminal keep it is no way: some keep one place only, and
    /// whether the cursor is seen along with it, and look there when the program ends.
    let cursor: Position
    /// How many of its pieces were sent.
    private(set) var sent = 0

    init(_ text: PictureText, at place: Position, cursor: Position) {
        (self.text, self.place, self.cursor) = (text, place, cursor)
    }

    var isWhole: Bool { sent == text.pieces.count }
    var isAmid: Bool { sent > 0 && !isWhole }

    /// Where ncurses believes the cursor to be, it is again behind the last piece.
    mutating func next() -> [UInt8] {
        guard !isWhole else { return [] }
        let isFirst = sent == 0
        let piece = text.pieces[sent]
        sent += 1
        return (isFirst ? Self.move(to: place) : []) + piece + (isWhole ? Self.move(to: cursor) : [])
    }

    /// Ends what was begun and takes it off the screen.
    var withdrawal: [UInt8] { (isAmid ? text.end + Self.move(to: cursor) : []) + (sent > 0 ? text.removal : []) }

    private static func move(to place: Position) -> [UInt8] {
        Array("\u{1B}[\(place.row + 1);\(place.column + 1)H".utf8)
    }
}

/// How a terminal takes pictures.
package enum PictureFormat: Hashable, Sendable {
    /// The graphics protocol of kitty, which ghostty, WezTerm and Konsole know too.
    case kitty
    /// DEC's, of xterm, foot, mlterm and others.
    case sixel

    /// What a terminal is asked, in an order that makes the answer to the last question the last one.
    static let query = Array("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c".utf8)

    /// What the answers say; nil: no pictures.
    package init?(_ reports: [TerminalReport]) {
        if reports.contains(.graphics(isUnderstood: true)) {
            self = .kitty
        } else if reports.contains(where: { if case .attributes(let list) = $0 { list.contains(4) } else { false } }) {
            self = .sixel
        } else {
            return nil
        }
    }
}
