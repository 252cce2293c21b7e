// Fits clean text to a number of columns. Wide characters are never cut in half.

/// The alignment of text in its space.
package enum Alignment: Sendable {
    case left, right, center
}

extension CleanText {
    /// Returns as much from the left as fits in `columns`.
    package func prefix(columns: Int) -> CleanText {
        if width <= columns { return self }
        if columns <= 0 { return CleanText() }
        if isASCII { return CleanText(alreadyClean: String(string.prefix(columns)), width: columns) }
        return CleanText(glyphs.fitting(columns))
    }

    /// Removes `columns` from the left; half a wide character becomes a blank.
    package func dropping(columns: Int) -> CleanText {
        if columns <= 0 { return self }
        if columns >= width { return CleanText() }
        if isASCII {
            return CleanText(alreadyClean: String(string.dropFirst(columns)), width: width - columns)
        }
        var skipped = 0
        var rest: [Glyph] = []
        for glyph in glyphs {
            if skipped >= columns {
                rest.append(glyph)
            } else {
                skipped += glyph.width
                if skipped > columns { rest.append(.blank) }
            }
        }
        return CleanText(rest)
    }

    /// Returns as much from the left as fits, ending with `ellipsis` if truncated.
    package func truncated(to columns: Int, ellipsis: CleanText = "...") -> CleanText {
        if width <= columns { return self }
        if columns <= ellipsis.width { return prefix(columns: columns) }
        return prefix(columns: columns - ellipsis.width) + ellipsis
    }

    /// Pads with blanks to at least `columns`.
    package func padded(to columns: Int, align: Alignment = .left) -> CleanText {
        let missing = columns - width
        if missing <= 0 { return self }
        switch align {
        case .left: return self + .blanks(missing)
        case .right: return .blanks(missing) + self
        case .center: return .blanks(missing / 2) + self + .blanks(missing - missing / 2)
        }
    }

    /// Truncates or pads to exactly `columns`.
    package func fitted(to columns: Int, align: Alignment = .left) -> CleanText {
        truncated(to: columns).padded(to: columns, align: align)
    }

    init(_ glyphs: some Sequence<Glyph>) {
        var scalars = String.UnicodeScalarView()
        var width = 0
        for glyph in glyphs {
            scalars.append(contentsOf: glyph.scalars)
            width += glyph.width
        }
        self.init(alreadyClean: String(scalars), width: width)
    }
}

extension Glyphs {
    fileprivate func fitting(_ columns: Int) -> [Glyph] {
        var used = 0
        var taken: [Glyph] = []
        for glyph in self {
            used += glyph.width
            if used > columns { break }
            taken.append(glyph)
        }
        return taken
    }
}
