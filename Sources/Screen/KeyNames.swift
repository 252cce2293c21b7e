// Keys as text, in two forms: for people (`Ctrl-D`), and for keymaps and key scripts (`<C-d>`).

extension Key {
    /// The name in help, footer and documentation: `g`, `Ctrl-D`, `Shift-Tab`, `PgDn`, `F5`.
    package var name: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .control(" "): "Ctrl-Space"
        case .control(let character): "Ctrl-" + character.uppercased()
        case .alt(" "): "Alt-Space"
        case .alt(let character): "Alt-\(character)"
        case .named(let name, let modifiers): modifiers.name + name.title
        case .function(let number, let modifiers): modifiers.name + "F\(number)"
        case .paste: "paste"
        case .click: "click"
        case .wheelUp, .wheelDown: "wheel"
        }
    }

    /// The form that `Key(_:)` parses: `g`, `<lt>`, `<space>`, `<C-d>`, `<A-x>`, `<S-tab>`, `<down>`, `<f5>`,
    /// `<click:2,10>`, `<paste:some text>`.
    package var notation: String {
        switch self {
        case .character(let character): Self.special(character).map { "<\($0)>" } ?? String(character)
        case .control(let character): "<C-\(Self.special(character) ?? String(character))>"
        case .alt(let character): "<A-\(Self.special(character) ?? String(character))>"
        case .named(let name, let modifiers): "<\(modifiers.notation)\(name.rawValue)>"
        case .function(let number, let modifiers): "<\(modifiers.notation)f\(number)>"
        case .paste(let text): "<paste:\(Self.escaped(text))>"
        case .click(let row, let column): "<click:\(row),\(column)>"
        case .wheelUp(let row, let column): "<wheelup:\(row),\(column)>"
        case .wheelDown(let row, let column): "<wheeldown:\(row),\(column)>"
        }
    }

    private static func special(_ character: Character) -> String? {
        switch character {
        case " ": "space"
        case "<": "lt"
        case ">": "gt"
        default: nil
        }
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "\n": escaped += "\\n"
            case ">", "\\": escaped += "\\\(character)"
            default: escaped.append(character)
            }
        }
    }
}

extension Key.Modifiers {
    fileprivate var name: String {
        (contains(.control) ? "Ctrl-" : "") + (contains(.alt) ? "Alt-" : "") + (contains(.shift) ? "Shift-" : "")
    }

    fileprivate var notation: String {
        (contains(.control) ? "C-" : "") + (contains(.alt) ? "A-" : "") + (contains(.shift) ? "S-" : "")
    }
}

extension Key.Name {
    fileprivate var title: String {
        switch self {
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .insert: "Ins"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        }
    }
}
