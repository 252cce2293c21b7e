import Annotations

// Reads text kinds: text markup, notes, free text, stamps, links.
extension AnnotationReader {
    mutating func markup(_ name: String) {
        json["type"] = .string("pspdfkit/markup/\(name)")
        json["color"] = color("C")
        if name == "highlight" { json["blendMode"] = "multiply" }
        json["note"] = contents.map(JSON.string)
        var rects = groups("QuadPoints", of: 8).compactMap { frame.box(around: $0) }
        if rects.isEmpty {
            note("no text position stored")
            rects = [box].compactMap(\.self)
        }
        json["rects"] = .array(rects.map(\.json))
    }

    mutating func stickyNote() {
        json["type"] = "pspdfkit/note"
        json["text"] = .string(contents ?? "")
        json["icon"] = .string(AnnotationNames.icons[source["Name"].name ?? ""] ?? "note")
        json["color"] = color("C")
        guard let state = AnnotationState(state: text("State"), model: text("StateModel")) else { return }
        aside["state"] = .string(state.rawValue)
        aside["stateModel"] = .string(state.model.rawValue)
    }

    mutating func freeText() {
        json["type"] = "pspdfkit/text"
        json["text"] = .string(contents ?? "")
        var appearance = DefaultAppearance(source["DA"].string ?? "")
        if source["DA"].string?.isLonger(thanScalars: Self.maxStyle) == true {
            cut("a style of more than 1,000 characters")
        }
        let style = TextStyle(of: source)
        // Programs draw the text in this style, and may leave `DA` as it is.
        appearance.size = style.size ?? appearance.size
        appearance.color = style.color ?? appearance.color
        json["fontSize"] = .number(JSONNumber(appearance.size ?? 12))
        json["font"] = appearance.font.map(JSON.string)
        json["fontColor"] = .string(appearance.color ?? "#000000")
        json["fontStyle"] = style.names.isEmpty ? nil : .array(style.names.map(JSON.string))
        json["backgroundColor"] = color("C")
        json["borderWidth"] = strokeWidth
        let alignment = source["Q"].number.flatMap { Int(exactly: $0) } ?? 0
        json["horizontalAlign"] = .string(
            AnnotationNames.alignments.indices.contains(alignment) ? AnnotationNames.alignments[alignment] : "left")
        json["verticalAlign"] = "top"
        json["rotation"] = rotation
        json["callout"] = Callout.json(of: source, on: frame, in: box)
    }

    mutating func stamp() {
        json["type"] = "pspdfkit/stamp"
        let name = source["Name"].name ?? ""
        json["stampType"] = .string(AnnotationNames.stamps.contains(name) ? name : "Custom")
        // What a stamp without a name says is known only from its picture.
        if !AnnotationNames.stamps.contains(name), !name.isEmpty, name != "Custom" {
            json["title"] = .string(cut(name, to: Self.maxWord, Self.tooLongName))
        }
        json["color"] = color("C")
        json["rotation"] = rotation
        json["note"] = contents.map(JSON.string)
    }

    /// Degrees counterclockwise; nil for none.
    private var rotation: JSON? {
        guard let degrees = source["Rotate"].number.flatMap({ Int(exactly: $0) }), (1..<360).contains(degrees) else {
            return nil
        }
        return .number(JSONNumber(Int64(degrees)))
    }

    mutating func link() {
        json["type"] = "pspdfkit/link"
        json["borderColor"] = color("C")
        json["borderWidth"] = strokeWidth
        json["note"] = contents.map(JSON.string)
        json["action"] = destinations.action(of: source)
        if let limit = destinations.limit(of: source) { cut(limit) }
        if json["action"] == nil { note("no readable target") }
    }
}

/// The font settings of a default appearance string such as `0 0 1 rg /Helv 12 Tf` (ISO 32000-1, 12.7.3.3).
struct DefaultAppearance: Hashable {
    var font: String?
    var size: Double?
    var color: String?

    init(_ text: String) {
        var operands: [Substring] = []
        for word in text.prefix(scalars: AnnotationReader.maxStyle).split(whereScalar: \.properties.isWhitespace) {
            switch word {
            case "Tf":
                font = operands.dropLast().last.map { String($0.unicodeScalars.drop { $0 == "/" }) }
                size = operands.last.flatMap { Double($0) }.flatMap { $0 > 0 && $0 < 1000 ? $0 : nil }
            case "g": color = Self.color(operands, 1)
            case "rg": color = Self.color(operands, 3)
            case "k": color = Self.color(operands, 4)
            default:
                operands.append(word)
                continue
            }
            operands = []
        }
    }

    private static func color(_ operands: [Substring], _ count: Int) -> String? {
        let numbers = operands.suffix(count).compactMap { Double($0) }.filter(\.isFinite)
        return numbers.count == count ? Color.hexadecimal(numbers) : nil
    }
}
