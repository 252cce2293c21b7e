/// Parses keys sent as Esc `[`, parameters and a final byte.
enum ControlSequence {
    /// Reads one item from the front of `bytes`, which begin with Esc `[`.
    static func read(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> KeyGrammar.Item {
        let body = bytes.dropFirst(2)
        guard let first = body.first else { return isLast ? .key(.alt("["), length: 2) : .incomplete }
        if first == UInt8(ascii: "[") { return linuxFunctionKey(body, isLast: isLast) }

        let parameters = body.prefix { (0x20...0x3F).contains($0) }
        let length = 3 + parameters.count
        guard let final = body.dropFirst(parameters.count).first else {
            if parameters.count > KeyGrammar.maxSequenceLength || isLast { return .nothing(length: bytes.count) }
            return .incomplete
        }
        guard (0x40...0x7E).contains(final) else { return .nothing(length: length - 1) }
        if parameters.first == UInt8(ascii: "<") {
            return mouse(parameters.dropFirst(), isPress: final == UInt8(ascii: "M"), length: length)
        }
        if final == UInt8(ascii: "c"), parameters.first == UInt8(ascii: "?"),
            let attributes = numbers(parameters.dropFirst())
        {
            return .report(.attributes(attributes), length: length)
        }
        if final == UInt8(ascii: "u"), parameters.first == UInt8(ascii: "?"), numbers(parameters.dropFirst()) != nil {
            return .report(.keyboard, length: length)
        }
        if final == UInt8(ascii: "M"), parameters.isEmpty { return oldMouse(bytes, isLast: isLast) }
        guard let numbers = numbers(parameters) else { return .nothing(length: length) }
        if final == UInt8(ascii: "~"), numbers == [200] { return .pasteBegins(length: length) }
        return key(numbers, final).map { .key($0, length: length) } ?? .nothing(length: length)
    }

    /// Returns an arrow or similar key by its final byte, without parameters.
    static func plainKey(_ final: UInt8) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(final) - 0x4F)
        default: nil
        }
    }

    private static func key(_ numbers: [Int], _ final: UInt8) -> Key? {
        let modifiers = numbers.count > 1 ? modifiers(numbers[1]) : []
        switch final {
        case UInt8(ascii: "Z"):
            return .backTab
        case UInt8(ascii: "~"):
            if numbers.count == 3, numbers[0] == 27 { return encoded(numbers[2], modifiers) }
            return numbered(numbers.first ?? 0, modifiers)
        case UInt8(ascii: "u"):
            return numbers.isEmpty ? nil : encoded(numbers[0], modifiers)
        case UInt8(ascii: "a")...UInt8(ascii: "d") where numbers.isEmpty:
            let arrows: [Key.Name] = [.up, .down, .right, .left]
            return .named(arrows[Int(final - UInt8(ascii: "a"))], .shift)
        default:
            // Other parameters belong to a report, such as the cursor position.
            guard numbers.count < 3, numbers.first ?? 1 == 1 else { return nil }
            if numbers.count == 2, !(2...16).contains(numbers[1]) { return nil }
            return plainKey(final).map { $0.with(modifiers) }
        }
    }

    /// Parses Esc `[` number `~`, introduced by the VT220.
    private static func numbered(_ number: Int, _ modifiers: Key.Modifiers) -> Key? {
        let key: Key? =
            switch number {
            case 1, 7: .home
            case 2: .insert
            case 3: .delete
            case 4, 8: .end
            case 5: .pageUp
            case 6: .pageDown
            case 11...15: .function(number - 10)
            case 17...21: .function(number - 11)
            case 23...26: .function(number - 12)
            case 28, 29: .function(number - 13)
            case 31...34: .function(number - 14)
            default: nil
            }
        return key?.with(modifiers)
    }

    /// Parses a character code with modifiers that no single byte encodes.
    private static func encoded(_ code: Int, _ modifiers: Key.Modifiers) -> Key? {
        switch code {
        case 9: return .named(.tab, modifiers)
        case 13: return .named(.enter, modifiers)
        case 27: return .named(.escape, modifiers)
        case 8, 127: return .named(.backspace, modifiers)
        default: break
        }
        if let key = keypadKey(code) { return key.with(modifiers) }
        // These protocols use the private area from U+E000 for keys without a character.
        guard let scalar = Unicode.Scalar(UInt32(clamping: code)), code >= 0x20, !(0xE000...0xF8FF).contains(code)
        else {
            return nil
        }
        let character = Character(scalar)
        if modifiers.contains(.control) { return try? Key("<C-\(character)>") }
        if modifiers.contains(.alt) { return .alt(character) }
        return .character(modifiers.contains(.shift) ? character.uppercased().first ?? character : character)
    }

    /// Returns a key of the number pad by its code in kitty's keyboard protocol.
    private static func keypadKey(_ code: Int) -> Key? {
        switch code {
        case 57_399...57_408: .character(Character(Unicode.Scalar(UInt8(code - 57_399 + 0x30))))
        case 57_409: .character(".")
        case 57_410: .character("/")
        case 57_411: .character("*")
        case 57_412: .character("-")
        case 57_413: .character("+")
        case 57_414: .enter
        case 57_415: .character("=")
        case 57_417: .left
        case 57_418: .right
        case 57_419: .up
        case 57_420: .down
        case 57_421: .pageUp
        case 57_422: .pageDown
        case 57_423: .home
        case 57_424: .end
        case 57_425: .insert
        case 57_426: .delete
        default: nil
        }
    }

    /// Parses Esc `[[` and a letter: F1 to F5 of the Linux console.
    private static func linuxFunctionKey(_ body: ArraySlice<UInt8>, isLast: Bool) -> KeyGrammar.Item {
        guard let final = body.dropFirst().first else { return isLast ? .nothing(length: 3) : .incomplete }
        guard (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(final) else { return .nothing(length: 3) }
        return .key(.function(Int(final) - 0x40), length: 4)
    }

    /// Parses an SGR mouse report: button, column and row from 1. Ignores releases, movement and other buttons.
    private static func mouse(_ parameters: ArraySlice<UInt8>, isPress: Bool, length: Int) -> KeyGrammar.Item {
        guard isPress, let numbers = numbers(parameters), numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else {
            return .nothing(length: length)
        }
        let (row, column) = (numbers[2] - 1, numbers[1] - 1)
        switch numbers[0] & ~0b11100 {
        case 0: return .key(.click(row: row, column: column), length: length)
        case 64: return .key(.wheelUp(row: row, column: column), length: length)
        case 65: return .key(.wheelDown(row: row, column: column), length: length)
        default: return .nothing(length: length)
        }
    }

    /// Skips a report of the old mouse protocol, which is never requested: three bytes after the `M`.
    private static func oldMouse(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> KeyGrammar.Item {
        if bytes.count < 6, !isLast { return .incomplete }
        return .nothing(length: min(6, bytes.count))
    }

    /// Parses numbers between semicolons, ignoring subparameters after a colon; nil for anything else.
    private static func numbers(_ parameters: ArraySlice<UInt8>) -> [Int]? {
        if parameters.isEmpty { return [] }
        var numbers: [Int] = []
        for part in parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            let digits = part.prefix { $0 != UInt8(ascii: ":") }
            guard digits.count < 10, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            numbers.append(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
        }
        return numbers
    }

    /// xterm's modifier number minus one is a mask: shift, alt, control.
    private static func modifiers(_ number: Int) -> Key.Modifiers {
        Key.Modifiers(rawValue: UInt8(truncatingIfNeeded: max(0, number - 1)) & 7)
    }
}

extension Key {
    fileprivate func with(_ modifiers: Modifiers) -> Key {
        switch self {
        case .named(let name, _): .named(name, modifiers)
        case .function(let number, _): .function(number, modifiers)
        default: self
        }
    }
}
