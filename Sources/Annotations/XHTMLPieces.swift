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
        /// Whether the tag stands inside such an element.
        var isInside = false
    }

    package private(set) var pieces: [Piece] = []
    /// Whether the source has only paragraphs and breaks without attributes, and mentions.
    private(set) var isPlain = true
    private(set) var mentions: [FoundMention] = []
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
        mentions = findMentions()
        let named = IndexFlags(mentions.map(\.pieces), count: pieces.count)
        isPlain = pieces.indices.allSatisfy {
            !pieces[$0].isTag || named.contains($0) || Self.plain.contains(text(of: pieces[$0]))
        }
    }

    /// What stands between `<` and `>`.
    private func text(of tag: Piece) -> String {
        String(decoding: source[(tag.source.lowerBound + 1)..<(tag.source.upperBound - 1)], as: UTF8.self)
    }

    private func findMentions() -> [FoundMention] {
        var found: [FoundMention] = []
        guard pieces.contains(where: { $0.isTag && $0.isWhole && !$0.isInside }) else { return [] }
        var offset = 0
        var offsets: [Int] = []
        for piece in pieces {
            offsets.append(offset)
            offset += piece.words.count
        }
        for (start, piece) in pieces.enumerated() where piece.isTag && piece.isWhole && !piece.isInside {
            guard let user = Self.mentioned(by: text(of: piece)),
                let end = pieces[(start + 1)...].firstIndex(where: \.isTag), text(of: pieces[end]).isExactly("/span")
            else { continue }
            let place = offsets[start]..<offsets[end]
            let words = String(decoding: pieces[start...end].flatMap(\.words), as: UTF8.self)
            guard let name = words.dropping(prefix: "@"), !name.isBlank,
                !words.unicodeScalars.contains(where: \.isLineEnd)
            else { continue }
            let mention = Mention(userID: user, words: words)
            found.append(FoundMention(placed: PlacedMention(mention: mention, place: place), pieces: start..<(end + 1)))
        }
        return found
    }

    /// Returns the user of a tag `span data-user-id="USER"`; nil for any other tag.
    private static func mentioned(by tag: String) -> String? {
        guard let attributes = tag.dropping(prefix: "span ")?.trimming(scalars: { $0 == " " }),
            let quoted = attributes.dropping(prefix: "data-user-id="), let quote = quoted.unicodeScalars.first,
            quote == "\"" || quote == "'",
            let (value, end) = quoted.dropFirst(scalars: 1).parted(atFirst: quote), end.isEmpty
        else { return nil }
        guard !value.contains(scalar: "<"), let user = resolved(value), !user.isEmpty, user.utf8.count <= maxUser,
            user.isVisible
        else { return nil }
        return user
    }

    /// Bytes of a user id.
    private static let maxUser = 1_000

    /// Resolves the references in an attribute; nil if one is unknown.
    private static func resolved(_ value: Substring) -> String? {
        var text = ""
        var rest = value
        while let (plain, reference) = rest.parted(atFirst: "&") {
            guard let (name, end) = reference.parted(atFirst: ";"), let scalar = resolve(String(name)) else {
                return nil
            }
            text += plain + scalar
            rest = end
        }
        return text + rest
    }

    private mutating func tag(at start: Int) -> Piece? {
        guard source[start] == UInt8(ascii: "<"), start + 1 < source.count, Self.opensTag(source[start + 1]),
            let end = source[start...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let text = String(decoding: source[(start + 1)..<end], as: UTF8.self)
        let name = String(text.prefix(whileScalar: { $0 != " " }))
        let isInside = isInWhole
        let isWhole = follow(name: name, text: text)
        return Piece(
            source: start..<(end + 1), words: Self.breaks.contains(name) ? [UInt8(ascii: "\n")] : [], isTag: true,
            isWhole: isWhole, isInside: isInside)
    }

    /// - Returns: Whether the tag belongs to an element that is kept whole.
    private mutating func follow(name: String, text: String) -> Bool {
        if let closed = name.dropping(prefix: "/").map(String.init) {
            let isWhole = isInWhole
            if let index = open.lastIndex(where: { $0.name.isExactly(closed) }) { open.removeSubrange(index...) }
            return isWhole
        }
        let isWhole = text.contains(scalars: " data-") || isInWhole
        if !text.ends(with: "/"), name != "br", !name.begins(with: "!"), !name.begins(with: "?") {
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
        if name.isExactly("nbsp") { return "\u{A0}" }
        let reference = name.dropping(prefix: "#X").map { "#x" + $0 } ?? name
        return Unicode.Scalar(reference: reference).map { String($0) }
    }
}

/// Which indices lie in some ranges.
struct IndexFlags {
    private var flags: [Bool]

    init(_ ranges: [Range<Int>], count: Int) {
        flags = Array(repeating: false, count: ranges.isEmpty ? 0 : count)
        for range in ranges { for index in range { flags[index] = true } }
    }

    func contains(_ index: Int) -> Bool { index < flags.count && flags[index] }
}

/// A mention in XHTML, and its pieces.
struct FoundMention {
    var placed: PlacedMention
    /// The tags and what stands between them.
    var pieces: Range<Int>
}

extension Unicode.Scalar {
    /// Resolves a reference that is defined in every XML document (XML 1.0, sections 4.1 and 4.6).
    ///
    /// - Parameter reference: The text between `&` and `;`: `amp`, `#233`, `#xE9`.
    package init?<Text: StringProtocol>(reference: Text) where Text.SubSequence == Substring {
        switch reference {
        case "amp": self = "&"
        case "lt": self = "<"
        case "gt": self = ">"
        case "quot": self = "\""
        case "apos": self = "'"
        default:
            let hexadecimal = reference.dropping(prefix: "#x")
            guard let digits = hexadecimal ?? reference.dropping(prefix: "#"),
                digits.utf8.allSatisfy({ $0.hexadecimalValue != nil }),
                let value = UInt32(digits, radix: hexadecimal == nil ? 10 : 16), let scalar = Unicode.Scalar(value)
            else { return nil }
            self = scalar
        }
    }
}
