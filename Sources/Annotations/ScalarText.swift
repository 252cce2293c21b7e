// Looking at other people's text scalar by scalar.
//
// Swift's `hasPrefix`, `dropFirst`, `split` and the like look at characters. A character takes in the combining marks
// after it, so `u:` and a text that begins with one do not begin with `u:`, and no line of a text with CR LF ends at
// `\n`. Formats and protocols are made of scalars. These are the same operations on scalars, and faster.
extension StringProtocol where SubSequence == Substring {
    /// Whether the text begins with these scalars.
    package func begins(with start: String) -> Bool { utf8.starts(with: start.utf8) }

    /// Whether the text ends with these scalars.
    package func ends(with end: String) -> Bool {
        self[startIndex...].utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }

    /// Returns what follows a beginning; nil if the text begins differently.
    package func dropping(prefix start: String) -> Substring? {
        begins(with: start) ? Substring(self[startIndex...].utf8.dropFirst(start.utf8.count)) : nil
    }

    /// Returns what precedes an end; nil if the text ends differently.
    package func dropping(suffix end: String) -> Substring? {
        ends(with: end) ? Substring(self[startIndex...].utf8.dropLast(end.utf8.count)) : nil
    }

    /// Whether the text has more scalars than this. Looks at no more of them.
    package func isLonger(thanScalars count: Int) -> Bool {
        utf8.count > count && !scalars.dropFirst(count).isEmpty
    }

    /// Returns the first scalars, at most `count`.
    package func prefix(scalars count: Int) -> Substring { Substring(scalars.prefix(count)) }

    /// Returns as many whole scalars from the beginning as fit into this many bytes of UTF-8.
    package func prefix(bytes count: Int) -> Substring {
        let bytes = self[startIndex...].utf8
        guard bytes.count > count else { return self[startIndex...] }
        var end = bytes.index(bytes.startIndex, offsetBy: Swift.max(0, count))
        // A byte of the form 10xxxxxx continues a scalar.
        while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
        return Substring(bytes[..<end])
    }

    /// Returns the scalars before the first one that does not fulfil a condition.
    package func prefix(whileScalar isWanted: (Unicode.Scalar) -> Bool) -> Substring {
        Substring(scalars.prefix(while: isWanted))
    }

    /// Returns all but the first scalars.
    package func dropFirst(scalars count: Int) -> Substring { Substring(scalars.dropFirst(count)) }

    /// Returns all but the last scalars.
    package func dropLast(scalars count: Int) -> Substring { Substring(scalars.dropLast(count)) }

    /// Returns the text without the scalars at both ends that fulfil a condition.
    package func trimming(scalars isUnwanted: (Unicode.Scalar) -> Bool) -> Substring {
        var rest = scalars.drop(while: isUnwanted)
        while let last = rest.last, isUnwanted(last) { rest.removeLast() }
        return Substring(rest)
    }

    /// Returns the parts between the places where a scalar stands.
    package func split(
        scalar separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        guard separator.isASCII else {
            return split(maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences) {
                $0 == separator
            }
        }
        return self[startIndex...].utf8.split(
            separator: UInt8(ascii: separator), maxSplits: maxSplits,
            omittingEmptySubsequences: omittingEmptySubsequences
        ).map(Substring.init)
    }

    /// Returns the parts between the scalars that fulfil a condition.
    package func split(
        maxSplits: Int = .max, omittingEmptySubsequences: Bool = true,
        whereScalar isSeparator: (Unicode.Scalar) -> Bool
    ) -> [Substring] {
        scalars.split(
            maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences, whereSeparator: isSeparator
        ).map(Substring.init)
    }

    /// Returns what precedes and what follows the first place where a scalar stands; nil if it stands nowhere.
    package func parted(atFirst separator: Unicode.Scalar) -> (before: Substring, after: Substring)? {
        scalars.firstIndex(of: separator).map { (self[..<$0], self[scalars.index(after: $0)...]) }
    }

    /// Returns what precedes and what follows the last place where a scalar stands; nil if it stands nowhere.
    package func parted(atLast separator: Unicode.Scalar) -> (before: Substring, after: Substring)? {
        scalars.lastIndex(of: separator).map { (self[..<$0], self[scalars.index(after: $0)...]) }
    }

    /// Whether a scalar stands somewhere in the text.
    package func contains(scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? utf8.contains(UInt8(ascii: scalar)) : scalars.contains(scalar)
    }

    /// Whether these scalars stand somewhere in the text.
    package func contains(scalars wanted: String) -> Bool { range(ofScalars: wanted) != nil }

    /// Returns the first place where these scalars stand; nil for none.
    package func range(ofScalars wanted: String) -> Range<String.Index>? { self[startIndex...].utf8.place(of: wanted) }

    /// Returns the text with other scalars wherever the wanted ones stand.
    package func replacing(scalars wanted: String, with other: String) -> String {
        guard !wanted.isEmpty else { return String(self) }
        var (result, rest) = ("", self[startIndex...])
        while let place = rest.utf8.place(of: wanted) {
            result.unicodeScalars += rest[..<place.lowerBound].unicodeScalars
            result.unicodeScalars += other.unicodeScalars
            rest = rest[place.upperBound...]
        }
        result.unicodeScalars += rest.unicodeScalars
        return result
    }

    /// Whether every scalar is white space.
    package var isBlank: Bool { scalars.allSatisfy(\.properties.isWhitespace) }

    private var scalars: Substring.UnicodeScalarView { self[startIndex...].unicodeScalars }
}

extension Unicode.Scalar {
    /// Whether it ends a line: LF, VT, FF, CR, NEL, and the separators of lines and paragraphs. CR LF is two of them.
    package var isLineEnd: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}

extension Substring.UTF8View {
    fileprivate func place(of wanted: String) -> Range<String.Index>? {
        let wanted = Array(wanted.utf8)
        guard let first = wanted.first else { return startIndex..<startIndex }
        var start = startIndex
        while let next = self[start...].firstIndex(of: first) {
            if self[next...].starts(with: wanted) { return next..<index(next, offsetBy: wanted.count) }
            start = index(after: next)
        }
        return nil
    }
}
