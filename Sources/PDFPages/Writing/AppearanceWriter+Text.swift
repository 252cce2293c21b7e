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
        let font = StandardFont(json["font"]?.string ?? "")
        guard let letters = WinAnsi.bytes(words) else { return nil }
        let border = number("borderWidth", 0)
        var sketch = Sketch(upright)
        let isBordered = border > 0 && color("borderColor") != nil
        let area = sketch.area.inset(by: border / 2)
        if let background = color("backgroundColor") { sketch.fill(with: background) }
        if isBordered { sketch.stroke(with: color("borderColor") ?? [0, 0, 0], width: border, dashes: dashes) }
        sketch.rectangle(area)
        sketch.paint(stroked: isBordered, filled: color("backgroundColor") != nil)

        let size = number("fontSize", 12, 1...999)
        let inside = area.inset(by: border / 2 + 2)
        let lines = font.lines(letters, size: size, width: inside.width)
        let height = Double(lines.count) * size * StandardFont.leading
        let room = max(0, inside.height - height)
        let top =
            switch json["verticalAlign"]?.string {
            case "center": inside.top + room / 2
            case "bottom": inside.top + room
            default: inside.top
            }
        sketch.fill(with: color("fontColor") ?? [0, 0, 0])
        sketch.raw("BT")
        sketch.raw("/F \(Decimals.text(size)) Tf")
        for (index, line) in lines.enumerated() {
            let spare = inside.width - font.width(line, size: size)
            let left =
                switch json["horizontalAlign"]?.string {
                case "center": inside.left + spare / 2
                case "right": inside.left + spare
                default: inside.left
                }
            let baseline = top + (Double(index) * StandardFont.leading + StandardFont.ascent) * size
            sketch.op("Tm", 1, 0, 0, 1, left, sketch.area.bottom - baseline)
            sketch.raw("<\(line.hexadecimal)> Tj")
        }
        sketch.raw("ET")
        var appearance = finish(upright: sketch)
        appearance.font = font.name
        return appearance
    }

    /// Draws the title in a frame, in the largest size that fits.
    func stamp() -> Appearance? {
        let type = json["stampType"]?.string ?? ""
        let title = (json["title"]?.string).flatMap { $0.isEmpty ? nil : $0 } ?? type.apart
        guard let letters = WinAnsi.bytes(String(title.uppercased().prefix(200))) else { return nil }
        let font = StandardFont("Helvetica-Bold")
        let color = color("color") ?? Self.stampColor(type)
        var sketch = Sketch(upright)
        let area = sketch.area
        let border = min(area.width, area.height) / 20
        sketch.stroke(with: color, width: border)
        sketch.rectangle(area.inset(by: border))
        sketch.paint(stroked: true, filled: false)
        let natural = max(font.width(letters, size: 1), 0.1)
        let size = max(min((area.width - 6 * border) / natural, (area.height - 4 * border) * 0.9), 0.1)
        sketch.fill(with: color)
        sketch.raw("BT")
        sketch.raw("/F \(Decimals.text(size)) Tf")
        // Capitals are about 0.7 font sizes high.
        sketch.op("Td", (area.width - natural * size) / 2, area.height / 2 - 0.35 * size)
        sketch.raw("<\(letters.hexadecimal)> Tj")
        sketch.raw("ET")
        var appearance = finish(upright: sketch)
        appearance.font = font.name
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

extension Rect {
    fileprivate func inset(by margin: Double) -> Rect {
        Rect(
            left: left + margin, top: top + margin, width: max(0, width - 2 * margin),
            height: max(0, height - 2 * margin))
    }
}

extension String {
    /// `For Comment` for `ForComment`.
    fileprivate var apart: String {
        reduce(into: "") { words, letter in
            if letter.isUppercase, !words.isEmpty { words.append(" ") }
            words.append(letter)
        }
    }
}
