import Screen

/// The keys pressed so far that do not complete a command: a count or the start of a sequence.
struct KeyReader: Equatable, Sendable {
    private(set) var count: Int?
    private(set) var keys: [Key] = []

    enum Outcome: Equatable {
        case command(Command, count: Int?)
        case unfinished
        /// The keys have no meaning here.
        case nothing
    }

    /// More than any list has rows, and few enough to count with.
    static let highestCount = 999_999

    var isEmpty: Bool { count == nil && keys.isEmpty }

    /// The pending keys, for the status line: `12g`.
    var shown: String { (count.map(String.init) ?? "") + keys.map(\.name).joined() }

    mutating func read(_ key: Key, in contexts: [KeyContext], of keymap: Keymap) -> Outcome {
        if keys.isEmpty, contexts.contains(.moving), let digit = Self.digit(key), digit > 0 || count != nil {
            count = min(Self.highestCount, (count ?? 0) * 10 + digit)
            return .unfinished
        }
        keys.append(key)
        switch keymap.match(keys, in: contexts) {
        case .command(let command):
            defer { clear() }
            // Esc clears a pending count before it closes anything.
            if command == .escape, count != nil { return .nothing }
            return .command(command, count: count)
        case .unfinished:
            return .unfinished
        case .none:
            clear()
            return .nothing
        }
    }

    mutating func clear() {
        count = nil
        keys = []
    }

    private static func digit(_ key: Key) -> Int? {
        guard case .character(let character) = key, character.isASCII else { return nil }
        return character.wholeNumberValue
    }
}
