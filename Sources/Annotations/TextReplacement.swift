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
    package func replacingText(with words: String) throws(FormattingConflict) -> Content { try rewording(to: words) }

    package func rewording(to words: String) throws(FormattingConflict) -> Content {
        let members = object
        let name = members.textMember
        var text = members[name] ?? .string("")
        switch CommentText(json: text) {
        case .xhtml(let xhtml)?:
            guard var object = text.object else { return self }
            object["value"] = .string(try xhtml.replacingXHTMLText(with: words))
            text = .object(object)
        case .plain?, nil:
            if var object = text.object {
                object["value"] = .string(words)
                text = .object(object)
            } else {
                text = .string(words)
            }
        }
        return changing {
            $0[name] = text
            $0.removeMisplacedText()
        }
    }
}

extension String {
    /// Returns this XHTML with another text: only the part between the common beginning and end is rewritten.
    package func replacingXHTMLText(with words: String) throws(FormattingConflict) -> String {
        let source = Array(utf8)
        let read = XHTMLPieces(source)
        var old = read.pieces.flatMap(\.words)
        while old.last == UInt8(ascii: "\n") { old.removeLast() }
        let new = Array(words.utf8)
        guard old != new else { return self }
        // If the source has only paragraphs and breaks, nothing can be lost.
        if read.isPlain { return words.paragraphs }
        let change = Change(from: old, to: new)
        guard let place = read.place(of: change.old) else { throw FormattingConflict() }
        let middle = String(decoding: new[change.new], as: UTF8.self).escaped(newLine: "<br/>")
        return String(decoding: source[..<place.lowerBound] + middle.utf8 + source[place.upperBound...], as: UTF8.self)
    }

    private var paragraphs: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { "<p>\(String($0).escaped(newLine: ""))</p>" }.joined()
    }

    private func escaped(newLine: String) -> String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\n": text += newLine
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// The shortest range in which two texts differ, in whole scalars.
private struct Change {
    var old: Range<Int>
    var new: Range<Int>

    init(from one: [UInt8], to other: [UInt8]) {
        func continues(_ text: [UInt8], _ index: Int) -> Bool { index < text.count && text[index] & 0xC0 == 0x80 }
        var start = zip(one, other).prefix { $0 == $1 }.count
        while start > 0, continues(one, start) || continues(other, start) { start -= 1 }
        let most = min(one.count, other.count) - start
        var end = zip(one.reversed(), other.reversed()).prefix(most).prefix { $0 == $1 }.count
        while end > 0, continues(one, one.count - end) { end -= 1 }
        old = start..<(one.count - end)
        new = start..<(other.count - end)
    }
}

extension XHTMLPieces {
    /// Returns the source range of a part of the text; nil if it crosses a tag or touches an element that is kept
    /// whole.
    fileprivate func place(of words: Range<Int>) -> Range<Int>? {
        var offset = 0
        let standing = pieces.map { piece -> (piece: Piece, words: Range<Int>) in
            defer { offset += piece.words.count }
            return (piece, offset..<(offset + piece.words.count))
        }
        guard !words.isEmpty else { return gap(at: words.lowerBound, standing).map { $0..<$0 } }
        // A tag without text counts if it is between two pieces that are replaced.
        let going = standing.filter {
            $0.words.overlaps(words)
                || ($0.words.isEmpty && words.lowerBound < $0.words.lowerBound
                    && $0.words.lowerBound < words.upperBound)
        }.map(\.piece)
        guard let first = going.first, let last = going.last, going.allSatisfy(\.isFree) else { return nil }
        return first.source.lowerBound..<last.source.upperBound
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
