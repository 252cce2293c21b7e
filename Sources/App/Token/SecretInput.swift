/// A line of input that is never shown: not on the screen, by interpolation, in a debugger's dump or in a failing test.
struct SecretInput: Hashable, Sendable {
    private var characters: [Character] = []
    private var cursor = 0

    /// A token has at most 24 KB. Further input is ignored.
    static let maxLength = 32_000

    init(_ text: String = "") { insert(text) }

    var isEmpty: Bool { characters.isEmpty }
    var token: TokenText { TokenText(String(characters)) }

    mutating func insert(_ text: String) {
        let added = text.filter { !$0.isWhitespace }.prefix(Self.maxLength - characters.count)
        characters.insert(contentsOf: added, at: cursor)
        cursor += added.count
    }

    /// Runs an editing command; false for any other command. There are no words to delete in a hidden text, so that
    /// deletes everything before the cursor.
    mutating func run(_ command: Command) -> Bool {
        switch command {
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .lineStart: cursor = 0
        case .lineEnd: cursor = characters.count
        case .deleteBack: if cursor > 0 { delete(cursor - 1..<cursor) }
        case .deleteForward: if cursor < characters.count { delete(cursor..<cursor + 1) }
        case .deleteWord, .deleteToStart: delete(0..<cursor)
        case .deleteToEnd: delete(cursor..<characters.count)
        default: return false
        }
        return true
    }

    private mutating func delete(_ range: Range<Int>) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }
}

extension SecretInput: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "[secret input of \(characters.count) characters]" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
