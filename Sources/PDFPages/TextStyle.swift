import Annotations

/// The style of a free text (ISO 32000-2, 12.7.4.4): `DS`, and the first style in its rich text, `RC`. Both are CSS.
struct TextStyle: Hashable {
    private(set) var size: Double?
    private(set) var color: String?
    var isBold = false
    var isItalic = false

    init(size: Double? = nil, color: String? = nil) { (self.size, self.color) = (size, color) }

    init(of source: PDFDictionary) {
        if let style = source["DS"].string { read(style) }
        if let text = source["RC"].string, let style = Self.firstStyle(in: text) { read(style) }
    }

    /// The names of Instant JSON.
    var names: [String] { (isBold ? ["bold"] : []) + (isItalic ? ["italic"] : []) }

    /// Returns the style that applies to all of a rich text: that of its body or its first element.
    private static func firstStyle(in text: String) -> String? {
        let text = text.prefix(10_000)
        guard let body = text.firstRange(of: "<body") else { return nil }
        // Words before the style have none, or another one.
        var rest = text[body.upperBound...]
        while let tag = rest.firstIndex(of: ">") {
            let head = rest[..<tag]
            if let style = head.firstRange(of: "style=") {
                let value = head[style.upperBound...]
                guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
                return String(value.dropFirst().prefix { $0 != quote })
            }
            rest = rest[rest.index(after: tag)...]
            guard let next = rest.firstIndex(of: "<"), rest[..<next].allSatisfy(\.isWhitespace) else { return nil }
            rest = rest[next...]
        }
        return nil
    }

    private mutating func read(_ style: String) {
        for declaration in style.prefix(2000).split(separator: ";") {
            let parts = declaration.split(separator: ":", maxSplits: 1).map { $0.filter { $0 != "\n" } }
            guard parts.count == 2 else { continue }
            let words = parts[1].split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
            switch parts[0].split(whereSeparator: \.isWhitespace).joined().lowercased() {
            case "font": words.forEach { readFont($0) }
            case "font-size": words.first.map { readFont($0) }
            case "font-weight": isBold = words.first.map(Self.isBold) ?? isBold
            case "font-style": isItalic = words.first.map(Self.isItalic) ?? isItalic
            case "color": color = words.first.flatMap(Self.color) ?? color
            default: break
            }
        }
    }

    private mutating func readFont(_ word: String) {
        if Self.isBold(word) { isBold = true }
        if Self.isItalic(word) { isItalic = true }
        guard word.hasSuffix("pt"), let points = Double(word.dropLast(2)), points > 0, points < 1000 else { return }
        size = points
    }

    private static func isBold(_ word: String) -> Bool {
        ["bold", "bolder", "600", "700", "800", "900"].contains(word)
    }
    private static func isItalic(_ word: String) -> Bool { word == "italic" || word == "oblique" }

    private static func color(_ word: String) -> String? {
        guard let parts = Color.components(word) else { return nil }
        return Color.hexadecimal(parts)
    }
}

extension TextStyle {
    /// Returns the style as Acrobat writes it.
    static func text(font: String, size: Double, color: String, names: [String], alignment: String) -> String {
        let weight = names.filter { $0 == "bold" || $0 == "italic" }.map { $0 + " " }.joined()
        return "font: \(weight)\(font) \(Decimals.text(size))pt; text-align:\(alignment); color:\(color)"
    }
}
