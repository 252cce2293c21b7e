import Annotations

// Recolouring the current or the marked annotations.
extension AppState {
    mutating func chooseColor() {
        picker = Picker(
            "Colour", label: "Colour: ",
            items: Colors.named.map { Picker.Item(name: $0.name, detail: $0.code, choice: .color($0.code)) })
    }

    mutating func recolor(_ text: String) -> [Effect] {
        guard let code = Colors.code(text) else {
            let names = Colors.named.map(\.name).joined(separator: " ")
            return only(.warning("Usage: color NAME or #rrggbb; names: " + names))
        }
        if let why = denial(of: .recolor) { return only(.warning(why.asSentence)) }
        return loadBatch(for: .recolor(code))
    }
}

/// The colours that have a name.
enum Colors {
    static let named: [(name: String, code: String)] = [
        ("yellow", "#fcee7c"), ("orange", "#f5a623"), ("red", "#d1202f"), ("pink", "#f48fb1"), ("purple", "#bd10e0"),
        ("blue", "#2293fb"), ("green", "#67c23a"), ("grey", "#9b9b9b"), ("black", "#000000"),
    ]

    /// Returns `#rrggbb` for a name or for such a code; nil for anything else.
    static func code(_ text: String) -> String? {
        let text = text.lowercased()
        if let named = named.first(where: { $0.name == text }) { return named.code }
        guard text.utf8.count == 7, let digits = text.dropping(prefix: "#"),
            digits.utf8.allSatisfy({ $0.hexadecimalValue != nil })
        else {
            return nil
        }
        return text
    }

    /// Returns `yellow`, or the code itself.
    static func name(_ code: String) -> String { named.first { $0.code == code.lowercased() }?.name ?? code }
}
