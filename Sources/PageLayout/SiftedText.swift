import Annotations

/// The ASCII letters and digits of a text, in lower case: a quick test whether a page can have some words.
///
/// Programs print the spaces, hyphens and quotation marks of a page differently, so they are left out. A page that
/// passes need not have the words, and in rare cases, such as an unusual order of columns, one that has them fails.
package struct SiftedText: Sendable {
    private var bytes: [UInt8] = []

    /// In place of letters without ASCII form.
    private static let other: UInt8 = 0xFF
    /// Fewer characters are in almost every page.
    private static let shortestWords = 3

    package init(page utf8: [UInt8]) {
        bytes.reserveCapacity(utf8.count)
        append(String(decoding: utf8, as: UTF8.self))
    }

    /// Returns the longest part of the words that can be looked for; nil if there is none worth it.
    package init?(words: String) {
        // A page may spell an accented letter as a plain letter and a mark; words in search form do not.
        append(words.searchForm)
        guard let longest = bytes.split(separator: Self.other).max(by: { $0.count < $1.count }),
            longest.count >= Self.shortestWords
        else { return nil }
        bytes = Array(longest)
    }

    package func contains(_ words: SiftedText) -> Bool {
        guard let first = words.bytes.first, bytes.count >= words.bytes.count else { return false }
        return bytes.withUnsafeBufferPointer { text in
            (0...text.count - words.bytes.count).contains { start in
                text[start] == first && text[start..<start + words.bytes.count].elementsEqual(words.bytes)
            }
        }
    }

    private mutating func append(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x61...0x7A, 0x30...0x39: bytes.append(UInt8(scalar.value))
            case 0x41...0x5A: bytes.append(UInt8(scalar.value + 32))
            case ..<0x80, 0xA0...0xBF, 0x2000...0x206F, 0x2212: continue
            case 0xFB00: bytes += "ff".utf8
            case 0xFB01: bytes += "fi".utf8
            case 0xFB02: bytes += "fl".utf8
            case 0xFB03: bytes += "ffi".utf8
            case 0xFB04: bytes += "ffl".utf8
            case 0xFB05, 0xFB06: bytes += "st".utf8
            default: bytes.append(Self.other)
            }
        }
    }
}
