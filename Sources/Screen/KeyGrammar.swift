/// Maps bytes to keys, one item at a time from the front of the input. Sources: ECMA-48 for control sequences, xterm's
/// ctlseqs for modifiers and mouse, and the terminal's description.
struct KeyGrammar: Sendable {
    static let escape: UInt8 = 0x1B
    /// Control sequences with longer parameters are not keys.
    static let maxSequenceLength = 64

    enum Item: Equatable {
        case key(Key, length: Int)
        /// Bytes without meaning to the user: a report, an unknown sequence.
        case nothing(length: Int)
        case pasteBegins(length: Int)
        case answerBegins(length: Int)
        case report(TerminalReport, length: Int)
        case incomplete
    }

    private let sequences: [[UInt8]: Key]
    /// Every proper prefix of a known sequence.
    private let beginnings: Set<[UInt8]>
    private let maxLength: Int

    init(sequences: [[UInt8]: Key]) {
        self.sequences = sequences.filter { $0.key.count > 1 && $0.key.first == Self.escape }
        beginnings = Set(self.sequences.keys.flatMap { bytes in (1..<bytes.count).map { Array(bytes.prefix($0)) } })
        maxLength = self.sequences.keys.map(\.count).max() ?? 0
    }

    /// Whether a byte is typed or pasted text: any except control characters other than tab and line ends.
    static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// - Parameter isLast: whether no more bytes follow, so that the item must be decided.
    func read(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Item {
        guard let first = bytes.first else { return .nothing(length: 0) }
        if first == Self.escape { return readEscape(bytes, isLast: isLast) }
        if first >= 0x80 { return readUTF8(bytes, isLast: isLast) }
        return .key(Self.key(for: first), length: 1)
    }

    /// Returns the key of one byte below 0x80.
    private static func key(for byte: UInt8) -> Key {
        switch byte {
        case 0x00: .control(" ")
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0D: .enter
        case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
        case 0x1C...0x1F: .control(Character(Unicode.Scalar(byte + 0x40)))
        default: .character(Character(Unicode.Scalar(byte)))
        }
    }

    private func readUTF8(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Item {
        let unknown = Item.key(.character("\u{FFFD}"), length: 1)
        guard let first = bytes.first else { return .incomplete }
        guard let length = Self.length(ofUTF8: first) else { return unknown }
        let candidate = Array(bytes.prefix(length))
        guard candidate.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return unknown }
        if candidate.count < length { return isLast ? unknown : .incomplete }
        guard let text = String(validating: candidate, as: UTF8.self), let character = text.first else {
            return unknown
        }
        return .key(.character(character), length: length)
    }

    /// Returns a character's byte count from its first byte; nil if invalid.
    private static func length(ofUTF8 first: UInt8) -> Int? {
        switch first {
        case 0x00...0x7F: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: nil
        }
    }

    /// Returns the number of bytes of an incomplete character at the end of `text`.
    static func unfinishedTail(of text: ArraySlice<UInt8>) -> Int {
        (1..<4).first { count in
            guard count <= text.count, let length = length(ofUTF8: text[text.endIndex - count]) else { return false }
            return length > count && text.suffix(count - 1).allSatisfy { $0 & 0xC0 == 0x80 }
        } ?? 0
    }

    private func readEscape(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Item {
        if let known = knownSequence(bytes) { return known }
        if !isLast, beginnings.contains(Array(bytes)) { return .incomplete }
        let lone = Item.key(.escape, length: 1)
        guard let second = bytes.dropFirst().first else { return isLast ? lone : .incomplete }
        let third = bytes.dropFirst(2).first
        switch second {
        case UInt8(ascii: "["):
            return ControlSequence.read(bytes, isLast: isLast)
        case UInt8(ascii: "O"):
            guard let third else { return isLast ? .key(.alt("O"), length: 2) : .incomplete }
            return Self.functionKey(third, length: 3)
        case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "_"):
            guard let third else {
                return isLast ? .key(.alt(Character(Unicode.Scalar(second))), length: 2) : .incomplete
            }
            return Self.beginsAnswer(second, third)
                ? .answerBegins(length: 3) : .key(.alt(Character(Unicode.Scalar(second))), length: 2)
        case Self.escape:
            return lone
        default:
            return altKey(bytes.dropFirst(), isLast: isLast)
        }
    }

    /// Esc before a key is Alt; before a control character it is a separate key. Whether Alt and the key are a key of the
    /// program, or Esc and a key that arrived together, only the keymap knows.
    private func altKey(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Item {
        switch read(bytes, isLast: isLast) {
        case .key(.character(let character), let length): .key(.alt(character), length: length + 1)
        case .key(.named(let name, []), let length): .key(.named(name, .alt), length: length + 1)
        case .incomplete: .incomplete
        default: .key(.escape, length: 1)
        }
    }

    private func knownSequence(_ bytes: ArraySlice<UInt8>) -> Item? {
        for length in stride(from: min(maxLength, bytes.count), to: 1, by: -1) {
            if let key = sequences[Array(bytes.prefix(length))] { return .key(key, length: length) }
        }
        return nil
    }

    /// Parses Esc `O` and one byte, sent by the VT100 and its successors for keys in application mode.
    private static func functionKey(_ final: UInt8, length: Int) -> Item {
        if let key = ControlSequence.plainKey(final) { return .key(key, length: length) }
        switch final {
        case UInt8(ascii: "M"): return .key(.enter, length: length)
        case UInt8(ascii: "j")...UInt8(ascii: "y"):
            return .key(.character(Character(Unicode.Scalar(final - 0x40))), length: length)
        case UInt8(ascii: "a"): return .key(.named(.up, .control), length: length)
        case UInt8(ascii: "b"): return .key(.named(.down, .control), length: length)
        case UInt8(ascii: "c"): return .key(.named(.right, .control), length: length)
        case UInt8(ascii: "d"): return .key(.named(.left, .control), length: length)
        case 0x20...0x7E: return .nothing(length: length)
        default: return .key(.alt("O"), length: length - 1)
        }
    }

    /// Whether Esc with these two bytes begins a string from the terminal, not Alt with a letter.
    static func beginsAnswer(_ kind: UInt8, _ next: UInt8) -> Bool {
        switch kind {
        case UInt8(ascii: "]"): (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next)
        case UInt8(ascii: "_"): next == UInt8(ascii: "G")
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) || "!>+$|=".utf8.contains(next)
        }
    }
}
