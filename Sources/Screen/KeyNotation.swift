extension Key {
    /// Parses exactly one key in the form of `notation`.
    package init(_ notation: String) throws(NotationError) {
        let keys = try Key.sequence(notation)
        guard keys.count == 1, let key = keys.first else {
            throw NotationError(key: notation, reason: "it contains \(keys.count) keys instead of one")
        }
        self = key
    }

    /// Parses consecutive keys: `gg<down><C-d>a<paste:two\nlines><enter>`.
    package static func sequence(_ script: String) throws(NotationError) -> [Key] {
        var keys: [Key] = []
        var rest = script[...]
        while let first = rest.popFirst() {
            guard first == "<" else {
                keys.append(.character(first))
                continue
            }
            var inside = ""
            var isClosed = false
            while !isClosed, let character = rest.popFirst() {
                switch character {
                case ">":
                    isClosed = true
                case "\\" where inside.utf8.starts(with: "paste:".utf8):
                    guard let escaped = rest.popFirst() else { break }
                    inside.append(escaped == "n" ? "\n" : escaped)
                default:
                    inside.append(character)
                }
            }
            guard isClosed else {
                throw NotationError(key: "<" + inside, reason: "missing \">\"; for the character \"<\" use <lt>")
            }
            keys.append(try Key(inBrackets: inside))
        }
        return keys
    }

    private init(inBrackets inside: String) throws(NotationError) {
        let unknown = NotationError(key: "<\(inside)>", reason: "unknown key name")
        if inside.utf8.starts(with: "paste:".utf8) {
            self = .paste(String(inside.dropFirst("paste:".count)))
            return
        }
        // `<A-:>` has a colon, too.
        if let colon = inside.firstIndex(of: ":"), inside.index(after: colon) < inside.endIndex {
            let place = inside[inside.index(after: colon)...].split(separator: ",").compactMap { Int($0) }
            guard place.count == 2 else {
                throw NotationError(key: "<\(inside)>", reason: "expected a row and a column, from 0, after \":\"")
            }
            switch inside[..<colon] {
            case "click": self = .click(row: place[0], column: place[1])
            case "wheelup": self = .wheelUp(row: place[0], column: place[1])
            case "wheeldown": self = .wheelDown(row: place[0], column: place[1])
            default: throw unknown
            }
            return
        }

        var modifiers: Modifiers = []
        var name = inside[...]
        while name.count > 2, name.dropFirst().first == "-" {
            switch name.first {
            case "C", "c": modifiers.insert(.control)
            case "A", "a", "M", "m": modifiers.insert(.alt)
            case "S", "s": modifiers.insert(.shift)
            default: throw unknown
            }
            name = name.dropFirst(2)
        }
        if let key = Key(name: name.lowercased(), modifiers) {
            self = key
        } else if let character = Self.character(name) {
            switch modifiers {
            case []: self = .character(character)
            case .control:
                guard let key = Key(control: character) else { throw unknown }
                self = key
            case .alt: self = .alt(character)
            default: throw unknown
            }
        } else {
            throw unknown
        }
    }

    private init?(name: String, _ modifiers: Modifiers) {
        if let named = Name(rawValue: name) ?? Self.otherNames[name] {
            self = .named(named, modifiers)
        } else if name.count > 1, name.first == "f", let number = Int(name.dropFirst()), (1...63).contains(number) {
            self = .function(number, modifiers)
        } else {
            return nil
        }
    }

    /// Creates Ctrl with a character, if a terminal can send it.
    private init?(control character: Character) {
        switch character.lowercased() {
        case "m": self = .enter
        case "[": self = .escape
        case "@": self = .control(" ")
        case let letter where letter.count == 1 && ("a"..."z").contains(letter):
            self = .control(Character(letter))
        case " ", "\\", "]", "^", "_": self = .control(character)
        default: return nil
        }
    }

    private static func character(_ name: Substring) -> Character? {
        switch name.lowercased() {
        case "space": " "
        case "lt": "<"
        case "gt": ">"
        default: name.count == 1 ? name.first : nil
        }
    }

    private static let otherNames: [String: Name] = [
        "cr": .enter, "return": .enter, "esc": .escape, "bs": .backspace, "del": .delete, "ins": .insert,
        "pgup": .pageUp, "pgdn": .pageDown,
    ]
}
