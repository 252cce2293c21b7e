import Annotations

/// Writes the content stream of an appearance (ISO 32000-1, 8.5). Takes points of the displayed page, and writes them
/// relative to the lower left corner of the area, y upwards.
struct Sketch {
    let area: Rect
    private(set) var stream = ""

    init(_ area: Rect) { self.area = area }

    private mutating func put(_ words: String) { stream += words + "\n" }

    private func place(_ point: Point) -> String {
        "\(Decimals.text(point.x - area.left)) \(Decimals.text(area.bottom - point.y))"
    }

    /// Writes an operator with its numbers.
    mutating func op(_ name: String, _ numbers: Double...) {
        put((numbers.map(Decimals.text) + [name]).joined(separator: " "))
    }

    mutating func raw(_ words: String) { put(words) }

    // MARK: Paths

    mutating func move(_ point: Point) { put("\(place(point)) m") }
    mutating func line(_ point: Point) { put("\(place(point)) l") }
    mutating func curve(_ one: Point, _ other: Point, _ end: Point) {
        put("\(place(one)) \(place(other)) \(place(end)) c")
    }

    mutating func path(_ points: some Sequence<Point>) {
        var isFirst = true
        for point in points {
            if isFirst { move(point) } else { line(point) }
            isFirst = false
        }
    }

    mutating func rectangle(_ box: Rect) {
        put(
            "\(place(Point(x: box.left, y: box.bottom))) \(Decimals.text(box.width)) \(Decimals.text(box.height)) re")
    }

    /// Control point distance at which four Bézier curves approximate a circle.
    private static let circleReach = 0.5523

    mutating func roundedRectangle(_ box: Rect, radius: Double) {
        let radius = min(radius, box.width / 2, box.height / 2)
        let rest = radius * (1 - Self.circleReach)
        func at(_ x: Double, _ y: Double) -> Point { Point(x: x, y: y) }
        move(at(box.left + radius, box.top))
        line(at(box.right - radius, box.top))
        curve(at(box.right - rest, box.top), at(box.right, box.top + rest), at(box.right, box.top + radius))
        line(at(box.right, box.bottom - radius))
        curve(at(box.right, box.bottom - rest), at(box.right - rest, box.bottom), at(box.right - radius, box.bottom))
        line(at(box.left + radius, box.bottom))
        curve(at(box.left + rest, box.bottom), at(box.left, box.bottom - rest), at(box.left, box.bottom - radius))
        line(at(box.left, box.top + radius))
        curve(at(box.left, box.top + rest), at(box.left + rest, box.top), at(box.left + radius, box.top))
        put("h")
    }

    mutating func ellipse(_ box: Rect) {
        let reach = Self.circleReach
        let (middle, across, down) = (box.middle, box.width / 2, box.height / 2)
        func at(_ x: Double, _ y: Double) -> Point { Point(x: middle.x + x * across, y: middle.y + y * down) }
        move(at(1, 0))
        curve(at(1, reach), at(reach, 1), at(0, 1))
        curve(at(-reach, 1), at(-1, reach), at(-1, 0))
        curve(at(-1, -reach), at(-reach, -1), at(0, -1))
        curve(at(reach, -1), at(1, -reach), at(1, 0))
        put("h")
    }

    // MARK: Colours and lines

    mutating func stroke(with color: [Double], width: Double, dashes: [Double] = []) {
        put((color.map(Decimals.text) + ["RG"]).joined(separator: " "))
        op("w", width)
        if dashes.contains(where: { $0 > 0 }) { put("[\(dashes.map(Decimals.text).joined(separator: " "))] 0 d") }
    }

    mutating func fill(with color: [Double]) { put((color.map(Decimals.text) + ["rg"]).joined(separator: " ")) }

    /// Paints and ends the path.
    mutating func paint(stroked: Bool, filled: Bool, closed: Bool = false) {
        switch (stroked, filled) {
        case (true, true): put(closed ? "b" : "B")
        case (true, false): put(closed ? "s" : "S")
        case (false, true): put("f")
        case (false, false): put("n")
        }
    }
}
