import Annotations
import Screen

extension PageGlyphs {
    /// Returns the occurrences of a text in reading order, across line ends and hyphens, ignoring case and treating
    /// runs of spaces as one space. An empty text has none.
    package func occurrences(of text: String) -> [Range<Int>] {
        let wanted = Self.folded(CleanText(cleaning: text))
        guard !wanted.isEmpty else { return [] }
        let (haystack, places) = folded()
        guard haystack.count >= wanted.count else { return [] }
        var found: [Range<Int>] = []
        var start = 0
        while start + wanted.count <= haystack.count {
            if haystack[start] == wanted[0], haystack[start..<start + wanted.count].elementsEqual(wanted) {
                found.append(places[start]..<places[start + wanted.count - 1] + 1)
                start += wanted.count
            } else {
                start += 1
            }
        }
        return found
    }

    /// The page's text in folded form, as stored in a document's index.
    package var searchText: String { Self.string(folded().text) }

    /// Returns a search text in folded form.
    package static func searchText(of text: String) -> String { string(folded(CleanText(cleaning: text))) }

    /// Returns the number of non-overlapping occurrences of one folded text in another.
    package static func count(of wanted: String, in text: String) -> Int {
        let (wanted, text) = (Array(wanted.utf8), Array(text.utf8))
        guard let first = wanted.first else { return 0 }
        var count = 0
        var place = 0
        while place + wanted.count <= text.count {
            if text[place] == first, text[place..<place + wanted.count].elementsEqual(wanted) {
                count += 1
                place += wanted.count
            } else {
                place += 1
            }
        }
        return count
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// Returns the page's folded text, and the glyph of each scalar.
    private func folded() -> (text: [Unicode.Scalar], places: [Int]) {
        var text: [Unicode.Scalar] = []
        var places: [Int] = []
        var line = 0
        for (index, glyph) in glyphs.enumerated() where glyph.role != .lineEndHyphen {
            if glyph.line != line, lines[glyph.line].joint != .word, text.last != " " {
                text.append(" ")
                places.append(index)
            }
            line = glyph.line
            if glyph.isSpace, text.last == " " { continue }
            for scalar in glyph.shown.folded {
                text.append(scalar)
                places.append(index)
            }
        }
        return (text, places)
    }

    private static func folded(_ text: CleanText) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        for glyph in text.glyphs {
            if glyph == .blank, result.last == " " || result.isEmpty { continue }
            result += glyph.folded
        }
        while result.last == " " { result.removeLast() }
        return result
    }
}

extension Glyph {
    /// Folded for search: the search form, ligatures split, typographic signs replaced by ASCII.
    fileprivate var folded: [Unicode.Scalar] {
        if hasMarks || mayBeSpelledOtherwise {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return Array(String(text).searchForm.unicodeScalars)
        }
        switch base.value {
        case 0x41...0x5A: return [Unicode.Scalar(base.value + 32) ?? base]
        case 0x20...0x7E: return [base]
        case 0xFB00: return ["f", "f"]
        case 0xFB01: return ["f", "i"]
        case 0xFB02: return ["f", "l"]
        case 0xFB03: return ["f", "f", "i"]
        case 0xFB04: return ["f", "f", "l"]
        case 0xFB05, 0xFB06: return ["s", "t"]
        case 0x2018, 0x2019, 0x2032: return ["'"]
        case 0x201C, 0x201D, 0x2033: return ["\""]
        case 0x2010...0x2015, 0x2212: return ["-"]
        default: return scalars.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
        }
    }

    /// Whether the letter, without marks, has another form. Asking for the form of each letter would take several times as
    /// long as everything else.
    private var mayBeSpelledOtherwise: Bool {
        switch base.value {
        case 0x0340...0x0387, 0x0958...0x0FBF, 0x1F00...0x2001, 0x2126...0x212B, 0x2329...0x232A, 0x2ADC,
            0xF900...0xFAFF, 0xFB1D...0xFB4E, 0x1D15E...0x1D1C0, 0x2F800...0x2FA1D:
            return true
        default: return false
        }
    }
}

extension PageGlyphs {
    /// Web and mail addresses in the text: whole words with the prefix of an address.
    package var addresses: [(range: Range<Int>, address: String)] {
        words.compactMap { word in
            var text = text(of: word.glyphs).filter { !$0.isWhitespace }
            while let first = text.first, "([<\"".contains(first) { text.removeFirst() }
            while let last = text.last, ")]>\".,;:".contains(last) { text.removeLast() }
            let lower = text.lowercased()
            if ["http://", "https://", "mailto:"].contains(where: { lower.begins(with: $0) && lower.count > $0.count })
            {
                return (word.core, text)
            }
            if lower.begins(with: "www."), lower.count > 7 { return (word.core, "https://" + text) }
            return nil
        }
    }
}
