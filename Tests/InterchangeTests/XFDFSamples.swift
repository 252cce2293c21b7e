import Annotations
import TestSupport

/// Random annotations of each kind, limited to what XFDF can represent.
enum XFDFSamples {
    static let kinds: [AnnotationKind] = [
        .highlight, .underline, .strikeOut, .squiggly, .note, .text, .ink, .line, .rectangle, .ellipse, .polygon,
        .polyline, .stamp, .link, .caret,
    ]

    static func content(_ kind: AnnotationKind, _ random: inout SeededRandom) -> Content {
        var object = JSONObject()
        object["v"] = 1
        object["type"] = .string(kind.type)
        object["pageIndex"] = .number(JSONNumber(Int64.random(in: 0..<4, using: &random)))
        object["bbox"] = rect(&random).json
        object["opacity"] = random.pick([1, 0.5, 0.25, 0])
        if random.chance(1, of: 2) { object["creatorName"] = .string(text(&random)) }
        if random.chance(1, of: 2) { object["createdAt"] = "2024-06-25T18:22:16.000Z" }
        if random.chance(1, of: 2) { object["updatedAt"] = "0001-12-31T23:59:59.000Z" }
        if random.chance(1, of: 3) { object["subject"] = .string(text(&random)) }
        if random.chance(1, of: 3) {
            object["flags"] = random.pick([["noPrint"], ["hidden", "locked"], ["lockedContents"]])
        }
        switch kind {
        case .highlight, .underline, .strikeOut, .squiggly:
            object["color"] = color(&random)
            if kind == .highlight { object["blendMode"] = "multiply" }
            object["rects"] = .array((0..<Int.random(in: 1...4, using: &random)).map { _ in rect(&random).json })
        case .note:
            object["text"] = .string(text(&random))
            object["icon"] = .string(random.pick(["comment", "key", "check", "rightPointer", "newParagraph"]))
            object["color"] = color(&random)
        case .text:
            object["text"] = .string(text(&random))
            object["fontSize"] = random.pick([12, 9.5, 100])
            object["font"] = random.pick(["Helv", "Times-Roman"])
            object["fontColor"] = color(&random)
            object["backgroundColor"] = color(&random)
            object["borderWidth"] = random.pick([0, 1, 2.5])
            object["horizontalAlign"] = random.pick(["left", "center", "right"])
            object["verticalAlign"] = "top"
            if random.chance(1, of: 2) { object["rotation"] = random.pick([90, 180, 270]) }
        case .ink:
            object["strokeColor"] = color(&random)
            object["lineWidth"] = random.pick([1, 0.25, 7])
            object["isDrawnNaturally"] = false
            let lines = (0..<Int.random(in: 1...3, using: &random)).map { _ in points(1...9, &random) }
            object["lines"] = [
                "points": .array(lines.map(JSON.array)),
                "intensities": .array(lines.map { .array($0.map { _ in 0.5 }) }),
            ]
        case .line, .rectangle, .ellipse, .polygon, .polyline: shape(kind, &object, &random)
        case .stamp:
            object["stampType"] = random.pick(["Approved", "Custom"])
            if object["stampType"] == "Custom" { object["title"] = "Blue one" }
            object["color"] = color(&random)
            if random.chance(1, of: 2) { object["rotation"] = 90 }
        case .link:
            object["borderColor"] = color(&random)
            object["borderWidth"] = random.pick([0, 1])
            object["action"] = random.pick([
                ["type": "uri", "uri": "https://example.com/?a=b&c=<d>"], ["type": "goTo", "pageIndex": 3],
                ["type": "named", "action": "nextPage"], ["type": "uri", "uri": "mailto:a@example.com?subject=b%20c"],
            ])
        default:
            object["color"] = color(&random)
        }
        let hasNote = ![.note, .text].contains(kind)
        if hasNote, random.chance(1, of: 2) { object["note"] = .string(text(&random)) }
        return Content(object)
    }

    private static func shape(_ kind: AnnotationKind, _ object: inout JSONObject, _ random: inout SeededRandom) {
        object["strokeColor"] = color(&random)
        if random.chance(1, of: 2) { object["fillColor"] = color(&random) }
        object["strokeWidth"] = random.pick([0, 1, 2.5])
        if random.chance(1, of: 3) { object["strokeDashArray"] = [3, 1.5] }
        switch kind {
        case .line:
            let ends = points(2...2, &random)
            (object["startPoint"], object["endPoint"]) = (ends[0], ends[1])
        case .polygon, .polyline: object["points"] = .array(points(2...9, &random))
        default:
            if random.chance(1, of: 3) {
                object["cloudyBorderIntensity"] = random.pick([1, 2])
                object["strokeDashArray"] = nil
            }
        }
        if kind == .line || kind == .polyline, random.chance(1, of: 2) {
            object["lineCaps"] = random.pick([["end": "openArrow"], ["start": "slash", "end": "circle"]])
        }
    }

    private static func rect(_ random: inout SeededRandom) -> Rect {
        Rect(
            left: quarter(0...400, &random), top: quarter(0...400, &random), width: quarter(1...90, &random),
            height: quarter(1...90, &random))
    }

    private static func points(_ count: ClosedRange<Int>, _ random: inout SeededRandom) -> [JSON] {
        (0..<Int.random(in: count, using: &random)).map { _ in
            Point(x: quarter(0...400, &random), y: quarter(0...400, &random)).json
        }
    }

    /// Halves and quarters are exact in binary and decimal.
    private static func quarter(_ range: ClosedRange<Int>, _ random: inout SeededRandom) -> Double {
        Double(Int.random(in: range, using: &random)) + random.pick([0, 0.25, 0.5])
    }

    private static func color(_ random: inout SeededRandom) -> JSON {
        let digits = String(Int.random(in: 0..<1 << 24, using: &random), radix: 16)
        return .string("#" + String(repeating: "0", count: 6 - digits.count) + digits)
    }

    private static func text(_ random: inout SeededRandom) -> String {
        random.pick(["words", "<&>\"' ]]>", "two\nlines", "  \u{1F44D}é\t", "שלום"])
    }

    /// The members, regardless of order.
    static func members(_ content: Content) -> [String: String] {
        Dictionary(uniqueKeysWithValues: content.object.members.map { ($0.key, $0.value.text) })
    }
}
