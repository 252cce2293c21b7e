import Annotations
import Screen

/// Finds the mentions of a comment in its wrapped lines, to show each in the colour of its person. Wrapping only adds and
/// removes blanks, so the other characters are counted.
struct MentionStyle {
    private struct Name {
        /// Character numbers, blanks not counted.
        var place: Range<Int>
        var style: Style
    }

    private var names: [Name] = []
    private var done = 0

    /// - Parameter me: The user's id.
    init(_ text: CommentText?, me: String?, _ colors: MarkColors) {
        guard let text, !text.placedMentions.isEmpty else { return }
        let words = Array(text.words.utf8)
        var (count, byte) = (0, 0)
        for mention in text.placedMentions {
            count += Self.count(words[byte..<mention.place.lowerBound])
            let length = Self.count(words[mention.place])
            let isMe = Optional(mention.mention.userID).isExactly(me)
            let person = isMe ? "me" : String(mention.mention.words.dropFirst(scalars: 1))
            let style = Style(isMe ? .bold : [], foreground: colors.person(person))
            names.append(Name(place: count..<(count + length), style: style))
            count += length
            byte = mention.place.upperBound
        }
    }

    private static func count(_ bytes: ArraySlice<UInt8>) -> Int {
        let text = String(decoding: bytes, as: UTF8.self)
        return CleanText.lines(cleaning: text).reduce(0) { $0 + $1.string.count { $0 != " " } }
    }

    /// Returns the columns of the mentions in the next line. Call it for each line, in order.
    mutating func next(_ line: CleanText) -> [MentionColumns] {
        guard !names.isEmpty else { return [] }
        var found: [MentionColumns] = []
        var column = 0
        for character in line.string {
            let width = CleanText(cleaning: String(character)).width
            defer { column += width }
            let isBlank = character == " "
            // A blank belongs to a name that goes on after it.
            if let name = names.first(where: { $0.place.contains(done) && (!isBlank || $0.place.lowerBound < done) }) {
                if let last = found.last, last.columns.upperBound == column, last.style == name.style {
                    found[found.count - 1].columns = last.columns.lowerBound..<(column + width)
                } else {
                    found.append(MentionColumns(columns: column..<(column + width), style: name.style))
                }
            }
            if !isBlank { done += 1 }
        }
        return found
    }
}

/// A mention in a line.
struct MentionColumns: Equatable, Sendable {
    var columns: Range<Int>
    var style: Style
}

extension Canvas {
    /// Shows the mentions of a written line.
    ///
    /// - Parameter column: Where the line begins.
    mutating func show(_ mentions: [MentionColumns], in area: Area, row: Int, column: Int = 0) {
        for mention in mentions {
            let start = column + mention.columns.lowerBound
            guard start < area.columns, row < area.rows else { continue }
            let place = Area(
                row: area.row + row, column: area.column + start, rows: 1,
                columns: min(mention.columns.count, area.columns - start))
            restyle(place) { $0.adding(mention.style) }
        }
    }
}
