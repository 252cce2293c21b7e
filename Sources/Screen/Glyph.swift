/// The content of one cell: a character and up to four marks, the limit of an ncurses cell. Eight bytes hold the base
/// and two marks, eight more hold two marks, so that comparing cells compares numbers.
package struct Glyph: Hashable, Sendable {
    /// Further marks are not shown; the text itself keeps them.
    package static let maximumMarks = 4
    package static let blank = Glyph(" ")
    /// The right half of the wide character in the previous cell.
    package static let continuation = Glyph(low: 0, high: 0)

    private static let bits: UInt64 = 21
    private static let mask: UInt64 = (1 << 21) - 1

    private var low: UInt64
    private var high: UInt64

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    init(_ base: Unicode.Scalar) {
        self.init(low: UInt64(base.value), high: 0)
    }

    package var isContinuation: Bool { low == 0 }

    package var hasMarks: Bool { low >> Self.bits != 0 }

    package var base: Unicode.Scalar { scalar(low) }

    /// 1 or 2; 0 for a continuation.
    package var width: Int { isContinuation ? 0 : TextWidth.of(base) }

    /// The base and its marks, in order; empty for a continuation.
    package var scalars: [Unicode.Scalar] {
        if !hasMarks { return isContinuation ? [] : [base] }
        let values = [low, low >> Self.bits, low >> (2 * Self.bits), high, high >> Self.bits]
        return values.map { $0 & Self.mask }.filter { $0 != 0 }.map(scalar)
    }

    /// Adds a mark; returns false if the glyph is full.
    mutating func add(_ mark: Unicode.Scalar) -> Bool {
        let value = UInt64(mark.value)
        if !hasMarks {
            low |= value << Self.bits
        } else if low >> (2 * Self.bits) == 0 {
            low |= value << (2 * Self.bits)
        } else if high == 0 {
            high = value
        } else if high >> Self.bits == 0 {
            high |= value << Self.bits
        } else {
            return false
        }
        return true
    }

    private func scalar(_ value: UInt64) -> Unicode.Scalar {
        Unicode.Scalar(UInt32(value & Self.mask)) ?? " "
    }
}

/// The glyphs of a clean text, from left to right.
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
