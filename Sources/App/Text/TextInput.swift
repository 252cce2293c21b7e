/// A text being edited and its cursor. It holds the input as typed or pasted, which is cleaned when drawn.
struct TextInput: Equatable, Sendable {
    private(set) var characters: [Character]
    /// Index of the character under the cursor, or the end.
    private(set) var cursor: Int

    /// Further input is ignored: a record holds at most 1 MB.
    static let maxLength = 200_000

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String { String(characters) }
    var isEmpty: Bool { characters.isEmpty }

    mutating func insert(_ text: some StringProtocol) {
        let room = max(0, Self.maxLength - characters.count)
        let added = Array(text.prefix(room))
        characters.insert(contentsOf: added, at: cursor)
        cursor += added.count
    }

    /// Replaces what stands between a place and the cursor.
    mutating func replace(from start: Int, with text: String) {
        guard start <= cursor else { return }
        delete(start..<cursor)
        insert(text)
    }

    /// Runs an editing command; false for any other command.
    mutating func run(_ command: Command) -> Bool {
        switch command {
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .up: moveLine(to: lineStart - 1)
        case .down: moveLine(to: lineEnd + 1)
        case .lineStart: cursor = lineStart
        case .lineEnd: cursor = lineEnd
        case .deleteBack: if cursor > 0 { delete(cursor - 1..<cursor) }
        case .deleteForward: if cursor < characters.count { delete(cursor..<cursor + 1) }
        case .deleteWord: delete(wordStart..<cursor)
        case .deleteToStart: delete(lineStart..<cursor)
        case .deleteToEnd:
            // At the end of a line the line break is deleted, as in Emacs.
            let end = lineEnd
            delete(cursor..<(end == cursor ? min(end + 1, characters.count) : end))
        case .newLine: insert("\n")
        default: return false
        }
        return true
    }

    private var lineStart: Int { (characters[..<cursor].lastIndex(of: "\n") ?? -1) + 1 }
    private var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

    private var wordStart: Int {
        let end = characters[..<cursor].lastIndex { !$0.isWhitespace } ?? -1
        guard end >= 0 else { return 0 }
        return (characters[...end].lastIndex { $0.isWhitespace } ?? -1) + 1
    }

    private mutating func delete(_ range: Range<Int>) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    /// Moves to the line that contains `place`, keeping the column if that line is long enough.
    private mutating func moveLine(to place: Int) {
        guard (0...characters.count).contains(place) else { return }
        let column = cursor - lineStart
        cursor = place
        let start = lineStart
        cursor = min(start + column, lineEnd)
    }
}
