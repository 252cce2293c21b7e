import Annotations

/// A merge of two versions of a text, word by word.
package enum WordMerge {
    /// Comparing takes the product of the lengths.
    private static let maxWords = 1_000

    /// Returns the text with the changes of both; nil if both changed the same words, or the texts are very long.
    package static func merged(base: String, mine: String, theirs: String) -> String? {
        if mine.isExactly(theirs) || theirs.isExactly(base) { return mine }
        if mine.isExactly(base) { return theirs }
        let texts = [base, mine, theirs].map(words)
        guard texts.allSatisfy({ $0.count <= maxWords }) else { return nil }
        var result = ""
        for piece in ThreeWay.pieces(base: texts[0], mine: texts[1], theirs: texts[2]) {
            guard case .agreed(let words) = piece else { return nil }
            for word in words { result += word.text }
        }
        return result
    }

    /// Splits a text into words, each with the white space before it.
    private static func words(_ text: String) -> [ByteOrdered] {
        var words: [ByteOrdered] = []
        var (word, hasLetters) = ("", false)
        for character in text {
            if character.isWhitespace, hasLetters {
                words.append(ByteOrdered(word))
                (word, hasLetters) = ("", false)
            }
            word.append(character)
            if !character.isWhitespace { hasLetters = true }
        }
        if !word.isEmpty { words.append(ByteOrdered(word)) }
        return words
    }
}
