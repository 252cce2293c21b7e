import Annotations

/// The style of a free text or of a part of it, in CSS (ISO 32000-2, 12.7.4.4).
struct TextStyle: Hashable {
    /// Points; nil for that of the whole text, and so for the colour.
    var size: Double?
    /// `#rrggbb`
    var color: String?
    var isBold = false
    var isItalic = false
    var isUnderlined = false
    var isStruckOut = false

    init(size: Double? = nil, color: String? = nil) { (self.size, self.color) = (size, color) }

    /// Reads `DS`, and the first style in the rich text, `RC`.
    init(of source: PDFDictionary) {
        self.init()
        if let style = source["DS"].string { read(style) }
        if let text = source["RC"].string, let style = Self.firstStyle(in: text) { read(style) }
    }

    /// Reads `DA` and `DS`: the style of what the rich text says nothing about.
    init(basisOf source: PDFDictionary) {
        let appearance = DefaultAppearance(source["DA"].string ?? "")
        self.init(size: appearance.size, color: appearance.color ?? "#000000")
        if let style = source["DS"].string { read(style) }
    }

    /// The names of Instant JSON.
    var names: [String] { (isBold ? ["bold"] : []) + (isItalic ? ["italic"] : []) }

    /// Returns the style that applies to all of a rich text: that of its body or its first element.
    static func firstStyle(in text: String) -> String? {
        let text = text.prefix(scalars: 10_000)
        guard let body = text.range(ofScalars: "<body") else { return nil }
        // Words before the style have none, or another one.
        var rest = text[body.upperBound...]
        while let (head, tail) = rest.parted(atFirst: ">") {
            if head.contains(scalars: "style=") { return quoted(after: "style=", in: head) }
            guard let (blank, next) = tail.parted(atFirst: "<"), blank.isBlank else { return nil }
            rest = next
        }
        return nil
    }

    /// Returns the value of an attribute, without its quotation marks.
    static func quoted(after attribute: String, in tag: Substring) -> String? {
        guard let place = tag.range(ofScalars: attribute) else { return nil }
        let value = tag[place.upperBound...].unicodeScalars
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(Substring(value.dropFirst().prefix { $0 != quote }))
    }

    /// Reads CSS; what it does not say stays as it is.
    mutating func read(_ style: String) {
        for declaration in style.prefix(scalars: 2000).split(scalar: ";") {
            let parts = declaration.split(scalar: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let words = parts[1].split(whereScalar: \.properties.isWhitespace).map { $0.lowercased() }
            switch parts[0].split(whereScalar: \.properties.isWhitespace).joined().lowercased() {
            case "font": words.forEach { readFont($0) }
            case "font-size": words.first.map { readFont($0) }
            case "font-weight": isBold = words.first.map(Self.isBold) ?? isBold
            case "font-style": isItalic = words.first.map(Self.isItalic) ?? isItalic
            case "color": color = Self.color(words) ?? color
            case "text-decoration":
                isUnderlined = words.contains("underline") || words.contains("word")
                isStruckOut = words.contains("line-through")
            default: break
            }
        }
    }

    private mutating func readFont(_ word: String) {
        if Self.isBold(word) { isBold = true }
        if Self.isItalic(word) { isItalic = true }
        guard let number = word.dropping(suffix: "pt"), let points = Double(number), points > 0, points < 1000 else {
            return
        }
        size = points
    }

    private static func isBold(_ word: String) -> Bool {
        ["bold", "bolder", "600", "700", "800", "900"].contains(word)
    }
    private static func isItalic(_ word: String) -> Bool { word == "italic" || word == "oblique" }

    /// Reads `#rrggbb` or `rgb(r, g, b)`.
    private static func color(_ words: [String]) -> String? {
        guard let first = words.first else { return nil }
        if let parts = Color.components(first) { return Color.hexadecimal(parts) }
        let text = words.joined()
        guard let list = text.dropping(prefix: "rgb(")?.dropping(suffix: ")") else { return nil }
        let numbers = list.split(scalar: ",").compactMap { Double($0) }
        return numbers.count == 3 && numbers.allSatisfy(\.isFinite) ? Color.hexadecimal(numbers.map { $0 / 255 }) : nil
    }
}

extension TextStyle {
    /// The style of all of a record's text.
    init(of json: JSONObject) {
        self.init(size: json["fontSize"]?.double, color: json["fontColor"]?.string)
        let names = (json["fontStyle"]?.array ?? []).compactMap(\.string)
        (isBold, isItalic) = (names.contains("bold"), names.contains("italic"))
    }

    /// Returns what a part of a text has to say in CSS if the whole has another style; empty if it has the same.
    func css(within whole: TextStyle) -> String {
        var parts: [String] = []
        if isBold != whole.isBold { parts.append("font-weight:\(isBold ? "bold" : "normal")") }
        if isItalic != whole.isItalic { parts.append("font-style:\(isItalic ? "italic" : "normal")") }
        if let color, color.lowercased() != whole.color?.lowercased() { parts.append("color:\(color)") }
        if let size, size != whole.size { parts.append("font-size:\(Decimals.text(size))pt") }
        if isUnderlined || isStruckOut {
            let lines = [isUnderlined ? "underline" : nil, isStruckOut ? "line-through" : nil].compactMap(\.self)
            parts.append("text-decoration:\(lines.joined(separator: " "))")
        }
        return parts.joined(separator: ";")
    }

    /// Returns the style as Acrobat writes it.
    static func text(font: String, size: Double, color: String, names: [String], alignment: String) -> String {
        let weight = names.filter { $0 == "bold" || $0 == "italic" }.map { $0 + " " }.joined()
        return "font: \(weight)\(font) \(Decimals.text(size))pt; text-align:\(alignment); color:\(color)"
    }
}
