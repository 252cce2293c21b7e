// Giving the current or the marked annotations another colour.
extension AppState {
    mutating func chooseColor() {
        picker = Picker(
            "Colour", label: "Colour: ",
            items: Colors.named.map { Picker.Item(name: $0.name, detail: $0.code, choice: .color($0.code)) })
    }

    mutating func recolor(_ text: String) -> [Effect] {
        guard let code = Colors.code(text) else {
            return only(.warning("color NAME or #rrggbb; names: " + Colors.named.map(\.name).joined(separator: " ")))
        }
        if let why = denial(of: .recolor) { return only(.warning(why)) }
        return loadBatch(for: .recolor(code))
    }
}
