import Annotations

// Draws free text, stamps, images.
extension AppearanceWriter {
    /// Quarter turns counterclockwise of the annotation; 0 for other angles.
    private var ownTurns: Int {
        guard let degrees = json["rotation"]?.integer, degrees % 90 == 0 else { return 0 }
        return Int(degrees % 360) / 90
    }

    /// The box as the text sees it, with width and height swapped for odd turns.
    private var upright: Rect {
        let isOnItsSide = ownTurns % 2 != 0
        return Rect(
            left: 0, top: 0, width: isOnItsSide ? box.height : box.width, height: isOnItsSide ? box.width : box.height)
    }

    private func finish(upright sketch: Sketch) -> Appearance {
        var appearance = finish(sketch)
        appearance.place = box
        appearance.turns = frame.turns + ownTurns
        return appearance
    }

    func freeText() -> Appearance? {
        let words = json["text"].flatMap(CommentText.init(json:))?.words ?? ""
        let text = styled(words)
        guard let letters = StyledLetters(text, font: json["font"]?.string ?? "", in: TextStyle(of: json)) else {
            return nil
        }
        let border = number("borderWidth", 0)
        let line = ownTurns == 0 ? calloutLine : []
        let whole = ownTurns == 0 ? box : upright
        var sketch = Sketch(line.reduce(whole) { $0.union(Rect(left: $1.x, top: $1.y, width: 0, height: 0)) })
        let edge = color("borderColor") ?? (line.isEmpty ? nil : color("fontColor") ?? [0, 0, 0])
        let isBordered = border > 0 && edge != nil
        let area = (ownTurns == 0 ? inner : whole).inset(by: border / 2)
        if let background = color("backgroundColor") { sketch.fill(with: background) }
        if isBordered { sketch.stroke(with: edge ?? [0, 0, 0], width: border, dashes: dashes) }
        if isBordered, !line.isEmpty {
            sketch.path(line)
            sketch.paint(stroked: true, filled: false)
            LineCap(width: border, isFilled: color("backgroundColor") != nil)
                .draw(calloutCap, at: line[0], from: line[1], &sketch)
        }
        sketch.rectangle(area)
        sketch.paint(stroked: isBordered, filled: color("backgroundColor") != nil)

        let fitted = FittedText(letters, size: number("fontSize", 12, 1...999), in: area.inset(by: border / 2))
        fitted.draw(
            on: &sketch, color: color("fontColor") ?? [0, 0, 0], across: json["horizontalAlign"]?.string,
            down: json["verticalAlign"]?.string)
        var appearance = ownTurns == 0 ? finish(sketch) : finish(upright: sketch)
        appearance.fonts = letters.faces.map(\.font.name)
        return appearance
    }

    /// The text with the styles of the record, or with those of the file if the record has none.
    private func styled(_ words: String) -> StyledText {
        if let styled = StyledText(of: json, "text") { return styled }
        return own.flatMap { StyledText(of: $0, saying: words) } ?? StyledText(words, in: TextStyle(of: json))
    }

    private var calloutCap: String? {
        if let callout { return callout.cap }
        let end = own?["LE"].name ?? own?.array("LE")?.first?.name
        return end.flatMap { AnnotationNames.caps[$0] }
    }

    /// The line of a call-out, from what it points at; empty for other texts.
    private var calloutLine: [Point] {
        if let callout { return callout.points }
        guard json["callout"] == nil, let numbers = own?.numbers("CL"), numbers.count == 4 || numbers.count == 6 else {
            return []
        }
        return frame.points(numbers)
    }

    /// Draws the title in a frame, in the largest size that fits, and the subtitle below it.
    func stamp() -> Appearance? {
        let type = json["stampType"]?.string ?? ""
        let title = (json["title"]?.string).flatMap { $0.isEmpty ? nil : $0 } ?? type
        let subtitle = json["subtitle"]?.string ?? ""
        guard let letters = WinAnsi.bytes(String(title.stampWords.uppercased().prefix(scalars: 200))),
            let small = WinAnsi.bytes(String(subtitle.prefix(scalars: 200)))
        else { return nil }
        let font = StandardFont("Helvetica-Bold")
        let color = color("color") ?? Self.stampColor(title.stampName)
        var sketch = Sketch(upright)
        let area = sketch.area
        let border = min(area.width, area.height) / 20
        sketch.stroke(with: color, width: border)
        sketch.fill(with: color.map { 0.9 + $0 / 10 })
        sketch.roundedRectangle(area.inset(by: border), radius: 3 * border)
        sketch.paint(stroked: true, filled: true)
        sketch.fill(with: color)
        sketch.raw("BT")
        let inside = area.inset(by: 2.5 * border)
        let share = small.isEmpty ? 1 : 0.65
        for (line, middle, height) in [
            (letters, inside.top + inside.height * share / 2, inside.height * share),
            (small, inside.top + inside.height * (1 + share) / 2, inside.height * (1 - share)),
        ] where !line.isEmpty {
            let natural = max(font.width(line, size: 1), 0.1)
            let size = max(min((inside.width - border) / natural, height), 0.1)
            sketch.raw("/F \(Decimals.text(size)) Tf")
            // Capitals are about 0.7 font sizes high.
            sketch.op("Tm", 1, 0, 0, 1, (area.width - natural * size) / 2, area.bottom - middle - 0.35 * size)
            sketch.raw("<\(line.hexadecimal)> Tj")
        }
        sketch.raw("ET")
        var appearance = finish(upright: sketch)
        appearance.fonts = [font.name]
        return appearance
    }

    private static func stampColor(_ type: String) -> [Double] {
        switch type {
        case "Approved", "Accepted", "Completed", "Final", "Sold": [0.1, 0.5, 0.2]
        case "Rejected", "NotApproved", "Void", "Expired": [0.75, 0.1, 0.1]
        default: [0.15, 0.3, 0.65]
        }
    }

    /// Draws the image, or a crossed frame if PDF cannot hold its file.
    func picture() -> Appearance {
        var sketch = Sketch(upright)
        let area = sketch.area
        if image != nil {
            sketch.op("cm", area.width, 0, 0, area.height, 0, 0)
            sketch.raw("/I Do")
        } else {
            sketch.stroke(with: [0.5, 0.5, 0.5], width: 1)
            sketch.rectangle(area.inset(by: 0.5))
            sketch.path([Point(x: area.left, y: area.top), Point(x: area.right, y: area.bottom)])
            sketch.path([Point(x: area.right, y: area.top), Point(x: area.left, y: area.bottom)])
            sketch.paint(stroked: true, filled: false)
        }
        var appearance = finish(upright: sketch)
        appearance.image = image
        appearance.multiplies = image?.isMasked ?? false
        return appearance
    }
}

extension String {
    /// The name of the standard in an Acrobat stamp's name: `Approved` for `SBApproved`.
    fileprivate var stampName: String {
        for mark in ["SB", "SH", "D", "#"] {
            if let name = dropping(prefix: mark).map(String.init), AnnotationNames.stamps.contains(name) { return name }
        }
        return self
    }

    /// `For Comment` for `ForComment`; other titles stay as they are.
    fileprivate var stampWords: String {
        let name = stampName
        guard AnnotationNames.stamps.contains(name) else { return name }
        return name.reduce(into: "") { words, letter in
            if letter.isUppercase, !words.isEmpty { words.append(" ") }
            words.append(letter)
        }
    }
}
