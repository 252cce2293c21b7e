package import Screen

extension Key {
    /// The bytes that xterm sends for the key.
    package var bytes: [UInt8] {
        switch self {
        case .character(let character): Array(String(character).utf8)
        case .control(" "): [0]
        case .control(let character): [(character.asciiValue ?? 0) & 0x1F]
        case .alt(let character): [0x1B] + Array(String(character).utf8)
        case .named(let name, let modifiers): name.bytes(modifiers)
        case .function(let number, let modifiers): Self.numbered(Self.functions[number - 1], modifiers)
        case .paste(let text): Array("\u{1B}[200~\(text)\u{1B}[201~".utf8)
        case .click(let row, let column): Array("\u{1B}[<0;\(column + 1);\(row + 1)M".utf8)
        case .wheelUp(let row, let column): Array("\u{1B}[<64;\(column + 1);\(row + 1)M".utf8)
        case .wheelDown(let row, let column): Array("\u{1B}[<65;\(column + 1);\(row + 1)M".utf8)
        }
    }

    private static let functions = [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24]

    fileprivate static func numbered(_ number: Int, _ modifiers: Modifiers) -> [UInt8] {
        Array((modifiers.isEmpty ? "\u{1B}[\(number)~" : "\u{1B}[\(number);\(modifiers.rawValue + 1)~").utf8)
    }
}

extension Key.Name {
    fileprivate func bytes(_ modifiers: Key.Modifiers) -> [UInt8] {
        let alt: [UInt8] = modifiers.contains(.alt) ? [0x1B] : []
        let letter = { (final: String) in
            Array((modifiers.isEmpty ? "\u{1B}[\(final)" : "\u{1B}[1;\(modifiers.rawValue + 1)\(final)").utf8)
        }
        switch self {
        case .enter: return alt + [0x0D]
        case .escape: return alt + [0x1B]
        case .tab: return modifiers.contains(.shift) ? Array("\u{1B}[Z".utf8) : alt + [0x09]
        case .backspace: return alt + [0x7F]
        case .up: return letter("A")
        case .down: return letter("B")
        case .right: return letter("C")
        case .left: return letter("D")
        case .home: return letter("H")
        case .end: return letter("F")
        case .insert: return Key.numbered(2, modifiers)
        case .delete: return Key.numbered(3, modifiers)
        case .pageUp: return Key.numbered(5, modifiers)
        case .pageDown: return Key.numbered(6, modifiers)
        }
    }
}

extension VirtualTerminal {
    /// Presses the keys of a script in keymap notation: `gg<down>aNice<enter>`.
    ///
    /// Esc and Enter, whose meaning depends on being alone in a read, are sent alone: the program gets time to respond
    /// before the next key.
    package func press(_ script: String) throws {
        for key in try Key.sequence(script) {
            send(key.bytes)
            if [.escape, .enter, .control("j")].contains(key) { waitForIdle() }
        }
    }
}
