import Annotations

/// Detects superscripts and subscripts: smaller than their row's text, and above or below its line.
enum RaisedText {
    static func role(of word: Int, in row: PageRow, words: [PageWord]) -> PageGlyphs.Role {
        let box = words[word].box
        guard box.height <= row.height * 0.82, let base = baseBox(of: row, words) else { return .letter }
        if box.bottom < base.bottom - row.height * 0.12 { return .raised }
        if box.bottom > base.bottom + row.height * 0.03, box.top > base.top { return .lowered }
        return .letter
    }

    /// Returns the box of the row's first full-size word.
    private static func baseBox(of row: PageRow, _ words: [PageWord]) -> Rect? {
        for stretch in row.stretches {
            for word in stretch.words where words[word].box.height > row.height * 0.95 { return words[word].box }
        }
        return nil
    }
}
