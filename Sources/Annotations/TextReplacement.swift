/// A text change that crosses formatting or a mention, which plain text cannot express.
public struct FormattingConflict: Error, Hashable, Sendable, CustomStringConvertible {
    public init() {}

    public var description: String {
        "the change crosses formatting or a mention, which plain text cannot express; edit the XHTML"
    }
}

extension Content {
    /// Returns the comment or annotation with another text. Unknown members of the text, mentions, and the formatting
    /// around the change are preserved.
    ///
    /// - Parameter people: The people that new words of a comment can mention.
    package func replacingText(
        with words: String, mentioning people: [Mention] = []
    ) throws(FormattingConflict) -> Content { try rewording(to: words, mentioning: people) }

    package func rewording(
        to words: String, mentioning people: [Mention] = []
    ) throws(FormattingConflict) -> Content {
        let members = object
        let name = members.textMember
        var text = members[name] ?? .string("")
        let people = contentType == .comments ? people : []
        var isStyled = false
        switch CommentText(json: text) {
        case .xhtml(let xhtml)?:
            guard var object = text.object else { return self }
            object["value"] = .string(try xhtml.replacingXHTMLText(with: words, mentioning: people))
            text = .object(object)
        case .plain(let old)?:
            let named = MentionChange(from: Array(old.utf8), [], to: words, mentioning: people).placed
            isStyled = !named.isEmpty
            let value = JSON.string(isStyled ? words.paragraphs(mentioning: named) : words)
            if var object = text.object {
                if isStyled { object["format"] = "xhtml" }
                object["value"] = value
                text = .object(object)
            } else {
                text = isStyled ? ["format": "xhtml", "value": value] : value
            }
        case nil:
            if var object = text.object {
                object["value"] = .string(words)
                text = .object(object)
            } else {
                text = .string(words)
            }
        }
        return changing {
            $0[name] = text
            // Version 1 has plain texts only.
            if isStyled, $0["v"]?.integer == 1 { $0["v"] = 2 }
            $0.removeMisplacedText()
        }
    }
}

extension String {
    /// Returns this XHTML with another text: only the part between the common beginning and end is rewritten. People who
    /// are still named keep their markup.
    ///
    /// - Parameter people: The people that new words can mention.
    package func replacingXHTMLText(
        with words: String, mentioning people: [Mention] = []
    ) throws(FormattingConflict) -> String {
        let source = Array(utf8)
        let read = XHTMLPieces(source)
        var old = read.pieces.flatMap(\.words)
        while old.last == UInt8(ascii: "\n") { old.removeLast() }
        let new = Array(words.utf8)
        guard old != new else { return self }
        let mentions = read.mentions
        let placed = MentionChange(from: old, mentions.map(\.placed), to: words, mentioning: people).placed
        // If the source has only paragraphs, breaks and mentions, nothing can be lost.
        if read.isPlain { return words.paragraphs(mentioning: placed) }
        var change = TextChange(from: old, to: new)
        for mention in mentions where change.touches(mention.placed.place) { change.grow(to: mention.placed.place) }
        let going = mentions.filter { change.covers($0.placed.place) }
        guard let place = read.place(of: change.old, with: going) else { throw FormattingConflict() }
        let middle = String.xhtml(new, change.new, placed, newLine: "<br/>")
        return String(decoding: source[..<place.lowerBound] + middle.utf8 + source[place.upperBound...], as: UTF8.self)
    }
}

extension TextChange {
    /// Whether a part of the old text is changed, but not as a whole.
    fileprivate func touches(_ part: Range<Int>) -> Bool {
        old.isEmpty
            ? part.lowerBound < old.lowerBound && old.lowerBound < part.upperBound : old.overlaps(part) && !covers(part)
    }

    fileprivate func covers(_ part: Range<Int>) -> Bool {
        !old.isEmpty && old.lowerBound <= part.lowerBound && part.upperBound <= old.upperBound
    }
}

extension XHTMLPieces {
    /// Returns the source range of a part of the text; nil if it crosses a tag or touches an element that is kept
    /// whole.
    ///
    /// - Parameter replaced: The mentions in this part, which are replaced with it.
    fileprivate func place(of words: Range<Int>, with replaced: [FoundMention]) -> Range<Int>? {
        var offset = 0
        let standing = pieces.map { piece -> (piece: Piece, words: Range<Int>) in
            defer { offset += piece.words.count }
            return (piece, offset..<(offset + piece.words.count))
        }
        guard !words.isEmpty else { return gap(at: words.lowerBound, standing).map { $0..<$0 } }
        // A tag without text counts if it is between two pieces that are replaced.
        let named = IndexFlags(replaced.map(\.pieces), count: pieces.count)
        let going = standing.indices.filter { index in
            let place = standing[index].words
            return place.overlaps(words)
                || (place.isEmpty && words.lowerBound < place.lowerBound && place.lowerBound < words.upperBound)
                || named.contains(index)
        }
        guard let first = going.first, let last = going.last,
            going.allSatisfy({ standing[$0].piece.isFree || named.contains($0) })
        else { return nil }
        return standing[first].piece.source.lowerBound..<standing[last].piece.source.upperBound
    }

    /// Returns where to insert text: after the preceding text, else before the following text, else outside an element
    /// that is kept whole.
    private func gap(at offset: Int, _ standing: [(piece: Piece, words: Range<Int>)]) -> Int? {
        let before = standing.last { $0.piece.isFree && $0.words.upperBound == offset }
        let after = standing.first { $0.piece.isFree && $0.words.lowerBound == offset }
        let behindWhole = standing.last { $0.piece.isWhole && $0.words.upperBound == offset && offset > 0 }
        let beforeWhole = standing.first { $0.piece.isWhole && $0.words.lowerBound == offset }
        return before?.piece.source.upperBound ?? after?.piece.source.lowerBound
            ?? behindWhole?.piece.source.upperBound ?? beforeWhole?.piece.source.lowerBound
    }
}

extension XHTMLPieces.Piece {
    /// Whether the piece can be changed on its own.
    fileprivate var isFree: Bool { !isTag && !isWhole }
}
