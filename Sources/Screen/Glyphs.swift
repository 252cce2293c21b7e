/// The cells of a clean text, from left to right.
package struct Glyphs: Sequence, IteratorProtocol {
    private var scalars: String.UnicodeScalarView.Iterator
    private var upcoming: Unicode.Scalar?

    init(_ scalars: String.UnicodeScalarView) {
        self.scalars = scalars.makeIterator()
        upcoming = self.scalars.next()
    }

    package mutating func next() -> Glyph? {
        guard let base = upcoming else { return nil }
        var glyph = Glyph(base)
        upcoming = scalars.next()
        while let mark = upcoming, TextWidth.isMark(mark) {
            _ = glyph.add(mark)
            upcoming = scalars.next()
        }
        return glyph
    }
}
