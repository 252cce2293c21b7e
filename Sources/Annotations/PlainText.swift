/// The words of a comment written in XHTML, as a row of text can show them.
enum PlainText {
    static func reading(xhtml: String) -> String {
        var words = XHTMLPieces(Array(xhtml.utf8)).pieces.flatMap(\.words)
        while words.last == UInt8(ascii: "\n") { words.removeLast() }
        return String(decoding: words, as: UTF8.self)
    }
}
