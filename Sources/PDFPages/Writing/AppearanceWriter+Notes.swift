import Annotations

// Draws the icon of a note (ISO 32000-2, 12.5.6.4).
extension AppearanceWriter {
    func note() -> Appearance {
        var sketch = Sketch(box)
        let side = min(box.width, box.height)
        let edge = side / 16
        sketch.fill(with: color("color") ?? [1, 0.85, 0.25])
        sketch.stroke(with: [0.2, 0.2, 0.2], width: max(edge, 0.1))
        sketch.raw("1 j")
        var icon = NoteIcon(sketch: sketch, left: box.left, top: box.top, side: side)
        let name = json["icon"]?.string ?? ""
        let letter = icon.draw(kind == .commentMarker ? "comment" : name)
        sketch = icon.sketch
        var appearance: Appearance
        if let letter {
            write(letter, side: side, on: &sketch)
            appearance = finish(sketch)
            appearance.fonts = ["Helvetica-Bold"]
        } else {
            appearance = finish(sketch)
        }
        // A note stays upright on a rotated page.
        appearance.turns = 0
        return appearance
    }

    private func write(_ letter: UInt8, side: Double, on sketch: inout Sketch) {
        let size = side * 0.7
        let width = StandardFont("Helvetica-Bold").width([letter], size: size)
        sketch.fill(with: [0.2, 0.2, 0.2])
        sketch.raw("BT")
        sketch.raw("/F \(Decimals.text(size)) Tf")
        sketch.op("Td", (side - width) / 2, sketch.area.height - side / 2 - 0.35 * size)
        sketch.raw("<\([letter].hexadecimal)> Tj")
        sketch.raw("ET")
    }
}

/// An icon in a square. Its coordinates go from 0 to 16, y downwards.
private struct NoteIcon {
    var sketch: Sketch
    let left, top, side: Double

    private func at(_ x: Double, _ y: Double) -> Point { Point(x: left + x * side / 16, y: top + y * side / 16) }

    private func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rect {
        let corner = at(x, y)
        return Rect(left: corner.x, top: corner.y, width: width * side / 16, height: height * side / 16)
    }

    private mutating func shape(_ points: (Double, Double)...) {
        sketch.path(points.map { at($0.0, $0.1) })
        sketch.paint(stroked: true, filled: true, closed: true)
    }

    private mutating func lines(_ heights: [Double], from start: Double, to end: Double) {
        for height in heights { sketch.path([at(start, height), at(end, height)]) }
        sketch.paint(stroked: true, filled: false)
    }

    private mutating func disc(_ box: Rect) {
        sketch.ellipse(box)
        sketch.paint(stroked: true, filled: true)
    }

    /// - Returns: the letter that stands in the icon, in WinAnsi.
    mutating func draw(_ name: String) -> UInt8? {
        switch name {
        case "comment":
            shape((1, 2), (15, 2), (15, 11), (8, 11), (4, 15), (4, 11), (1, 11))
            lines([5, 8], from: 4, to: 12)
        case "help":
            disc(box(1, 1, 14, 14))
            return UInt8(ascii: "?")
        case "paragraph":
            disc(box(1, 1, 14, 14))
            return 0xB6
        case "newParagraph":
            shape((8, 1), (15, 9), (1, 9))
            sketch.path([at(4, 15), at(4, 11), at(7, 15), at(7, 11)])
            sketch.path([at(10, 15), at(10, 11), at(12, 11), at(12, 13), at(10, 13)])
            sketch.paint(stroked: true, filled: false)
        case "insert": shape((8, 2), (14, 14), (8, 10), (2, 14))
        case "star":
            shape(
                (8, 1), (9.8, 6), (15, 6.1), (10.8, 9.3), (12.3, 14.5), (8, 11.4), (3.7, 14.5), (5.2, 9.3), (1, 6.1),
                (6.2, 6))
        case "check": shape((1.5, 9), (4, 6.5), (6.5, 9.5), (12.5, 2), (14.5, 4), (6.5, 14))
        case "circle":
            disc(box(1, 1, 14, 14))
            sketch.fill(with: [1, 1, 1])
            disc(box(5, 5, 6, 6))
        case "cross":
            shape(
                (3.5, 1), (8, 5.5), (12.5, 1), (15, 3.5), (10.5, 8), (15, 12.5), (12.5, 15), (8, 10.5), (3.5, 15),
                (1, 12.5), (5.5, 8), (1, 3.5))
        case "rightArrow": shape((1, 5.5), (8, 5.5), (8, 2), (15, 8), (8, 14), (8, 10.5), (1, 10.5))
        case "rightPointer": shape((1, 2), (15, 8), (1, 14), (4.5, 8))
        case "key":
            shape(
                (7, 7), (15, 7), (15, 11.5), (13, 11.5), (13, 9), (11.5, 9), (11.5, 11.5), (9.5, 11.5), (9.5, 9), (7, 9)
            )
            disc(box(1, 4, 8, 8))
            sketch.fill(with: [1, 1, 1])
            disc(box(3, 7, 2, 2))
        default:
            shape((2, 1), (10.5, 1), (14, 4.5), (14, 15), (2, 15))
            sketch.path([at(10.5, 1), at(10.5, 4.5), at(14, 4.5)])
            sketch.paint(stroked: true, filled: false)
            lines([7, 9.5, 12], from: 4.5, to: 11.5)
        }
        return nil
    }
}
