/// What a program may write on a terminal of the kind `xterm-256color`: characters that only show, and the sequences that
/// place, colour and clear them. Read as strictly as can be: a byte that is neither is somebody else's.
package struct WrittenBytes {
    /// The first thing that has no business on a terminal.
    package struct Foreign: Error, Hashable, CustomStringConvertible {
        package var offset: Int
        /// It and a little of what follows, escaped.
        package var excerpt: String

        package var description: String { "at byte \(offset): \(excerpt)" }
    }

    private let bytes: [UInt8]
    private var place = 0

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

    /// Takes one character or sequence.
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

    /// After ESC.
    private mutating func isSequence() -> Bool {
        switch next() {
        case UInt8(ascii: "["): isControlSequence()
        // ASCII as the set of characters.
        case UInt8(ascii: "("): next() == UInt8(ascii: "B")
        // Keypad, up a line, cursor kept and put back.
        case .some(let byte): "=>M78".utf8.contains(byte)
        case nil: false
        }
    }

    /// ECMA-48, 5.4: parameters, then a letter. Cut short, it is none.
    private mutating func isControlSequence() -> Bool {
        var parameters: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"), UInt8(ascii: "?"): parameters.append(byte)
            default: return Self.isOurs(String(decoding: parameters, as: UTF8.self), UnicodeScalar(byte))
            }
        }
        return false
    }

    private static func isOurs(_ parameters: String, _ letter: Unicode.Scalar) -> Bool {
        switch letter {
        // Moving, clearing, inserting, deleting, scrolling, repeating, colouring.
        case "A", "B", "C", "D", "G", "H", "I", "J", "K", "L", "M", "P", "S", "T", "X", "Z", "@", "b", "d", "m", "r":
            !parameters.contains("?")
        case "h", "l": switches.contains(parameters)
        // The window's title, kept before the other screen and put back after it.
        case "t": ["22;0;0", "23;0;0"].contains(parameters)
        default: false
        }
    }

    /// Arrow keys in application mode, lines that wrap, the cursor's blinking and being seen, the meta key, the other screen, marked
    /// pastes, the mouse; inserting.
    private static let switches: Set = [
        "?1", "?7", "?12", "?25", "?12;25", "?1034", "?1049", "?2004", "?1000", "?1006", "4",
    ]

    // MARK: Characters

    /// One scalar in UTF-8 that shows something, or a mark on what does.
    private mutating func isCharacter(from first: UInt8) -> Bool {
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        let end = place - 1 + length
        guard end <= bytes.count, let text = String(validating: bytes[place - 1..<end], as: UTF8.self),
            let scalar = text.unicodeScalars.first, text.utf8.count == length
        else { return false }
        place = end
        return Self.shows(scalar)
    }

    /// Neither acts, nor joins, nor changes the direction, nor has no agreed shape.
    package static func shows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
        default: !scalar.properties.isVariationSelector
        }
    }
}
