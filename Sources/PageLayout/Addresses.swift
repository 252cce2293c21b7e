extension PageGlyphs {
    /// Web and mail addresses that stand in the text, whole words that begin like one.
    package var addresses: [(range: Range<Int>, address: String)] {
        words.compactMap { word in
            var text = text(of: word.glyphs).filter { !$0.isWhitespace }
            while let first = text.first, "([<\"".contains(first) { text.removeFirst() }
            while let last = text.last, ")]>\".,;:".contains(last) { text.removeLast() }
            let lower = text.lowercased()
            if ["http://", "https://", "mailto:"].contains(where: { lower.hasPrefix($0) && lower.count > $0.count }) {
                return (word.core, text)
            }
            if lower.hasPrefix("www."), lower.count > 7 { return (word.core, "https://" + text) }
            return nil
        }
    }
}
