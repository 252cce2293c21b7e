/// The text of a comment in XHTML, in pieces, each with its place in the source.
///
/// Lenient, because other programs write the text: tags are dropped, paragraph ends and line breaks become new lines,
/// the entities that editors write are resolved, and everything else stays unchanged.
package struct XHTMLPieces {
    package struct Piece {
        /// The byte range in the source.
        package var source: Range<Int>
        package var words: [UInt8]
        package var isTag = false
        /// Part of an element that means more than its text, such as a mention: it is kept or replaced as a whole.
        var isWhole = false
    }

    package private(set) var pieces: [Piece] = []
    /// Whether the source has only paragraphs and breaks, without attributes.
    private(set) var isPlain = true
    private let source: [UInt8]
    private var open: [(name: String, isWhole: Bool)] = []
    private var isInWhole: Bool { open.last?.isWhole ?? false }

    package init(_ source: [UInt8]) {
        self.source = source
        pieces.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            let piece =
                tag(at: index) ?? entity(at: index)
                ?? Piece(source: index..<(index + 1), words: [source[index]], isWhole: isInWhole)
            pieces.append(piece)
            index = piece.source.upperBound
        }
    }

    private mutating func tag(at start: Int) -> Piece? {
        guard source[start] == UInt8(ascii: "<"), start + 1 < source.count, Self.opensTag(source[start + 1]),
            let end = source[start...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let text = String(decoding: source[(start + 1)..<end], as: UTF8.self)
        let name = String(text.prefix { $0 != " " })
        if !Self.plain.contains(text) { isPlain = false }
        let isWhole = follow(name: name, text: text)
        return Piece(
            source: start..<(end + 1), words: Self.breaks.contains(name) ? [UInt8(ascii: "\n")] : [], isTag: true,
            isWhole: isWhole)
    }

    /// - Returns: Whether the tag belongs to an element that is kept whole.
    private mutating func follow(name: String, text: String) -> Bool {
        if name.hasPrefix("/") {
            let closed = name.dropFirst()
            let isWhole = isInWhole
            if let index = open.lastIndex(where: { $0.name == closed }) { open.removeSubrange(index...) }
            return isWhole
        }
        let isWhole = text.contains(" data-") || isInWhole
        if !text.hasSuffix("/"), name != "br", !name.hasPrefix("!"), !name.hasPrefix("?") {
            open.append((name, isWhole))
        }
        return isWhole
    }

    private func entity(at start: Int) -> Piece? {
        guard source[start] == UInt8(ascii: "&"),
            // `&#x10FFFF;` is the longest reference.
            let end = source[start...].prefix(10).firstIndex(of: UInt8(ascii: ";")),
            let text = Self.resolve(String(decoding: source[(start + 1)..<end], as: UTF8.self))
        else { return nil }
        return Piece(source: start..<(end + 1), words: Array(text.utf8), isWhole: isInWhole)
    }

    private static let breaks: Set = ["br", "br/", "/p", "/div", "/li", "/h1", "/h2", "/h3"]
    private static let plain: Set = ["p", "/p", "br", "br/", "br /"]

    private static func opensTag(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "/"),
            UInt8(ascii: "!"), UInt8(ascii: "?"):
            true
        default: false
        }
    }

    /// Resolves the references that XML defines, and HTML's `nbsp`.
    private static func resolve(_ name: String) -> String? {
        if name == "nbsp" { return "\u{A0}" }
        let reference = name.hasPrefix("#X") ? "#x" + name.dropFirst(2) : name
        return Unicode.Scalar(reference: reference).map { String($0) }
    }
}

extension Unicode.Scalar {
    /// Resolves a reference that is defined in every XML document (XML 1.0, sections 4.1 and 4.6).
    ///
    /// - Parameter reference: The text between `&` and `;`: `amp`, `#233`, `#xE9`.
    package init?(reference: some StringProtocol) {
        switch reference {
        case "amp": self = "&"
        case "lt": self = "<"
        case "gt": self = ">"
        case "quot": self = "\""
        case "apos": self = "'"
        default:
            let isHexadecimal = reference.hasPrefix("#x")
            let digits = reference.dropFirst(isHexadecimal ? 2 : 1)
            guard reference.hasPrefix("#"), digits.allSatisfy(\.isHexDigit),
                let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(value)
            else { return nil }
            self = scalar
        }
    }
}
