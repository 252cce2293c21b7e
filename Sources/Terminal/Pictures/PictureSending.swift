import Screen

/// A picture on its way to the terminal, or there.
struct PictureSending {
    let text: PictureText
    let place: Position
    /// How many of its pieces were sent.
    private(set) var sent = 0

    init(_ text: PictureText, at place: Position) { (self.text, self.place) = (text, place) }

    var isWhole: Bool { sent == text.pieces.count }
    var isAmid: Bool { sent > 0 && !isWhole }

    /// Where ncurses believes the cursor to be, it is again behind the last piece.
    mutating func next() -> [UInt8] {
        guard !isWhole else { return [] }
        let isFirst = sent == 0
        let piece = text.pieces[sent]
        sent += 1
        return (isFirst ? Self.begin(at: place) : []) + piece + (isWhole ? Self.restore : [])
    }

    /// Ends what was begun and takes it off the screen.
    var withdrawal: [UInt8] { (isAmid ? text.end + Self.restore : []) + (sent > 0 ? text.removal : []) }

    private static func begin(at place: Position) -> [UInt8] {
        Array("\u{1B}7\u{1B}[\(place.row + 1);\(place.column + 1)H".utf8)
    }

    private static let restore = Array("\u{1B}8".utf8)
}
