import Screen

extension PageGlyphs {
    /// Returns a word's range without surrounding punctuation.
    func core(of range: Range<Int>) -> Range<Int> {
        func isCore(_ index: Int) -> Bool {
            let glyph = glyphs[index]
            return glyph.role != .lineEndHyphen && (glyph.shown.isLetter || glyph.shown.isDigit)
        }
        guard let first = range.first(where: isCore), let last = range.last(where: isCore) else { return range }
        return first..<last + 1
    }

    /// Finds sentence starts: the start of every block, the start of every row that does not continue the one above,
    /// and the word after each sentence end.
    func findSentences() -> [Int] {
        var starts: [Int] = []
        for block in blocks {
            starts.append(block.glyphs.lowerBound)
            for line in block.lines.dropFirst() where lines[line].joint == .row {
                starts.append(lines[line].glyphs.lowerBound)
            }
        }
        for (word, next) in zip(words, words.dropFirst()) where endsSentence(word, before: next) {
            starts.append(next.glyphs.lowerBound)
        }
        return Array(Set(starts)).sorted()
    }

    private func endsSentence(_ word: Word, before next: Word) -> Bool {
        let tail = glyphs[word.core.upperBound..<max(word.core.upperBound, word.glyphs.upperBound)].map(\.shown.base)
        guard let stop = tail.first(where: { ".!?\u{2026}。！？".unicodeScalars.contains($0) }) else { return false }
        if "。！？".unicodeScalars.contains(stop) { return true }
        let first = glyphs[next.core.lowerBound].shown
        guard first.isCapital || first.isDigit || !first.isSmall else { return false }
        guard stop == "." else { return true }
        // An initial or abbreviation does not end a sentence.
        let core = glyphs[word.core].map(\.shown)
        if core.count == 1, core[0].isCapital { return false }
        return !Self.abbreviations.contains(Hyphenation.folded(core))
    }

    private static let abbreviations: Set<String> = [
        "al", "ca", "cf", "ch", "dr", "ed", "eds", "eg", "eq", "fig", "figs", "ie", "mr", "mrs", "ms", "no", "nr", "p",
        "pp", "prof", "resp", "sec", "st", "vgl", "vol", "vs",
    ]
}
