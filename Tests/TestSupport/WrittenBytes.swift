/// A strict check of what a program may write to an `xterm-256color` terminal: printable characters, and the sequences
/// that place, colour and clear them. Any other byte is foreign.
package struct WrittenBytes {
    /// The first byte or sequence that is not allowed.
    package struct Foreign: Error, Hashable, CustomStringConvertible {
        package var offset: Int
        /// It and a little of what follows, escaped.
        package var excerpt: String

        package var description: String { "at byte \(offset): \(excerpt)" }
    }

    private let bytes: [UInt8]
    private var place = 0
    /// Whether the colours were asked for, which happens once.
    private var hasAsked = false
    private static let question = Array("]10;?\u{1B}\\\u{1B}]11;?\u{1B}\\".utf8)

    /// - Throws: ``Foreign``.
    package static func check(_ bytes: [UInt8]) throws(Foreign) {
        var reader = WrittenBytes(bytes: bytes)
        while reader.place < bytes.count {
            let start = reader.place
            if !reader.isOneOfOurs() {
                let excerpt = String(decoding: bytes[start...].prefix(24), as: UTF8.self)
                throw Foreign(offset: start, excerpt: excerpt.debugDescription)
            }
        }
    }

    /// Reads one character or sequence.
    private mutating func isOneOfOurs() -> Bool {
        guard let byte = next() else { return false }
        switch byte {
        case 0x20..<0x7F: return true
        // Backspace, tab, line feed, carriage return: they move the cursor.
        case 0x08, 0x09, 0x0A, 0x0D: return true
        case 0x1B: return isSequence()
        case 0x80...: return isCharacter(from: byte)
        default: return false
        }
    }

    private mutating func next() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    // MARK: Sequences

    /// Reads the rest of a sequence after ESC.
    private mutating func isSequence() -> Bool {
        if !hasAsked, bytes[place...].starts(with: Self.question) {
            hasAsked = true
            place += Self.question.count
            return true
        }
        return switch next() {
        case UInt8(ascii: "["): isControlSequence()
        // Select ASCII as the character set.
        case UInt8(ascii: "("): next() == UInt8(ascii: "B")
        // Keypad modes, reverse line feed, save and restore the cursor.
        case .some(let byte): "=>M78".utf8.contains(byte)
        case nil: false
        }
    }

    /// Reads parameters, then a final letter (ECMA-48, 5.4). A truncated sequence is invalid.
    private mutating func isControlSequence() -> Bool {
        var parameters: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: ">"),
                UInt8(ascii: "<"):
                parameters.append(byte)
            default: return Self.isOurs(String(decoding: parameters, as: UTF8.self), UnicodeScalar(byte))
            }
        }
        return false
    }

    private static func isOurs(_ parameters: String, _ letter: Unicode.Scalar) -> Bool {
        switch letter {
        // Moving, clearing, inserting, deleting, scrolling, repeating, colouring.
        case "A", "B", "C", "D", "G", "H", "I", "J", "K", "L", "M", "P", "S", "T", "X", "Z", "@", "b", "d", "m", "r":
            !parameters.contains { "?<>".contains($0) }
        case "h", "l": switches.contains(parameters)
        // The question for the keyboard protocol, and its use.
        case "u": ["?", ">1", "<"].contains(parameters)
        // Save the window's title before the alternate screen and restore it afterwards.
        case "t": ["22;0;0", "23;0;0"].contains(parameters)
        default: false
        }
    }

    /// Application cursor keys, auto-wrap, the cursor's blinking and visibility, the meta key, the alternate screen,
    /// bracketed paste, the mouse; insert mode.
    private static let switches: Set = [
        "?1", "?7", "?12", "?25", "?12;25", "?1034", "?1049", "?2004", "?1000", "?1006", "4",
    ]

    // MARK: Characters

    /// Reads one UTF-8 scalar that is visible or combines with a visible one.
    private mutating func isCharacter(from first: UInt8) -> Bool {
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        let end = place - 1 + length
        guard end <= bytes.count, let text = String(validating: bytes[place - 1..<end], as: UTF8.self),
            let scalar = text.unicodeScalars.first, text.utf8.count == length
        else { return false }
        place = end
        return Self.shows(scalar)
    }

    /// Whether a scalar is visible: it does not control, join or change the direction, and its shape is standard.
    package static func shows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
        default: !scalar.properties.isVariationSelector
        }
    }
}
