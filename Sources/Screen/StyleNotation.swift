extension Style {
    /// Parses `bold`, `dim red`, `bold #d7875f on 236`, `underline green on normal`: attributes and a colour in any
    /// order, and a background after `on`.
    package init(notation: String) throws(NotationError) {
        self.init()
        var isBackground = false
        for word in notation.split(separator: " ").map(String.init) {
            if word == "on" {
                isBackground = true
            } else if let attribute = Attributes.names.first(where: { $0.name == word }), !isBackground {
                attributes.insert(attribute.attribute)
            } else if let color = Color(notation: word) {
                if isBackground { background = color } else { foreground = color }
            } else {
                throw NotationError(style: word)
            }
        }
    }

    /// The form that `init(notation:)` parses.
    package var notation: String {
        var words = Attributes.names.filter { attributes.contains($0.attribute) }.map(\.name)
        if foreground != .normal || words.isEmpty { words.append(foreground.notation) }
        if background != .normal { words += ["on", background.notation] }
        return words.joined(separator: " ")
    }
}

extension Attributes {
    fileprivate static let names: [(name: String, attribute: Attributes)] = [
        ("bold", .bold), ("dim", .dim), ("underline", .underline), ("reverse", .reverse), ("italic", .italic),
    ]
}

extension Color {
    private static let names: [(name: String, color: Color)] = [
        ("normal", .normal), ("black", .black), ("red", .red), ("green", .green), ("yellow", .yellow), ("blue", .blue),
        ("magenta", .magenta), ("cyan", .cyan), ("white", .white), ("bright-black", .brightBlack),
        ("bright-red", .brightRed), ("bright-green", .brightGreen), ("bright-yellow", .brightYellow),
        ("bright-blue", .brightBlue), ("bright-magenta", .brightMagenta), ("bright-cyan", .brightCyan),
        ("bright-white", .brightWhite),
    ]

    fileprivate init?(notation: String) {
        if let named = Self.names.first(where: { $0.name == notation }) {
            self = named.color
        } else if let index = UInt8(notation) {
            self = .indexed(index)
        } else if notation.count == 7, notation.first == "#", let rgb = UInt32(notation.dropFirst(), radix: 16) {
            self = .rgb(UInt8(rgb >> 16 & 0xFF), UInt8(rgb >> 8 & 0xFF), UInt8(rgb & 0xFF))
        } else {
            return nil
        }
    }

    fileprivate var notation: String {
        switch self {
        case .indexed(let index): return String(index)
        case .rgb(let red, let green, let blue):
            return "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        default: return Self.names.first { $0.color == self }?.name ?? "normal"
        }
    }
}
