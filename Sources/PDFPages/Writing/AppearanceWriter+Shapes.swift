import Annotations

// Draws ink, lines, rectangles, ellipses, polygons.
extension AppearanceWriter {
    private static let maxPoints = AnnotationReader.maxNumbers / 2

    private var strokeColor: [Double] { color("strokeColor") ?? [0, 0, 0] }

    func ink() -> Appearance {
        let width = number("lineWidth", 1)
        let lines = (json["lines"]?["points"]?.array ?? []).map { line in
            (line.array ?? []).prefix(Self.maxPoints).compactMap(Point.init(json:))
        }
        var sketch = Sketch(area(around: lines.joined(), by: width / 2))
        sketch.stroke(with: strokeColor, width: width)
        sketch.raw("1 J 1 j")
        for line in lines where !line.isEmpty {
            // A stroke of one point is a dot: a zero-length line with round ends.
            sketch.path(line.count == 1 ? [line[0], line[0]] : line)
        }
        sketch.paint(stroked: true, filled: false)
        return finish(sketch)
    }

    func shape() -> Appearance {
        let width = number("strokeWidth", 1)
        var sketch = Sketch(box)
        begin(&sketch, width)
        let cloud = cloud(width)
        // Without margins of its own, a cloud stays within the box.
        let margin = own?.numbers("RD") == nil && json["cloudyBorderInset"] == nil ? cloud?.reach ?? 0 : 0
        let inside = inner.inset(by: width / 2 + margin)
        switch (cloud, kind) {
        case (let cloud?, .ellipse): cloud.draw(around: cloud.outline(ofEllipseIn: inside), &sketch)
        case (let cloud?, _): cloud.draw(around: inside.corners, &sketch)
        case (nil, .ellipse): sketch.ellipse(inside)
        case (nil, _): sketch.rectangle(inside)
        }
        sketch.paint(stroked: isStroked(width), filled: color("fillColor") != nil, closed: true)
        return finish(sketch)
    }

    func polygon() -> Appearance {
        let width = number("strokeWidth", 1)
        let cloud = cloud(width)
        var sketch = Sketch(area(around: corners, by: width + (cloud?.reach ?? 0)))
        begin(&sketch, width)
        if let cloud { cloud.draw(around: corners, &sketch) } else { sketch.path(corners) }
        sketch.paint(
            stroked: isStroked(width) && !corners.isEmpty, filled: color("fillColor") != nil && !corners.isEmpty,
            closed: true)
        return finish(sketch)
    }

    private func cloud(_ width: Double) -> Cloud? {
        guard let intensity = json["cloudyBorderIntensity"]?.double, intensity > 0 else { return nil }
        return Cloud(intensity: intensity, width: width)
    }

    func line() -> Appearance {
        let width = number("strokeWidth", 1)
        let points = corners
        var sketch = Sketch(area(around: points, by: max(width * 5, 5)))
        begin(&sketch, width)
        guard let first = points.first, let last = points.last, points.count > 1 else { return finish(sketch) }
        sketch.path(points)
        sketch.paint(stroked: isStroked(width), filled: false)
        sketch.raw("[] 0 d")
        let caps = json["lineCaps"]
        let cap = LineCap(width: width, isFilled: color("fillColor") != nil)
        cap.draw(caps?["start"]?.string, at: first, from: points[1], &sketch)
        cap.draw(caps?["end"]?.string, at: last, from: points[points.count - 2], &sketch)
        return finish(sketch)
    }

    private var corners: [Point] {
        let ends = [json["startPoint"], json["endPoint"]].compactMap { $0.flatMap(Point.init(json:)) }
        return kind == .line
            ? ends : (json["points"]?.array ?? []).prefix(Self.maxPoints).compactMap(Point.init(json:))
    }

    private func begin(_ sketch: inout Sketch, _ width: Double) {
        sketch.stroke(with: strokeColor, width: width, dashes: dashes)
        if let fill = color("fillColor") { sketch.fill(with: fill) }
    }

    /// PDF draws a line of width 0 as thin as the device can; in an annotation, 0 means no line.
    private func isStroked(_ width: Double) -> Bool { width > 0 }

    /// Returns the box, enlarged where the drawing exceeds it.
    private func area(around points: some Sequence<Point>, by margin: Double) -> Rect {
        points.reduce(box) { area, point in
            area.union(
                Rect(left: point.x - margin, top: point.y - margin, width: 2 * margin, height: 2 * margin))
        }
    }
}

/// A line end (ISO 32000-1, table 176).
struct LineCap {
    let width: Double
    /// Whether closed ends are filled.
    let isFilled: Bool
    private var size: Double { max(width * 3, 3) }

    func draw(_ name: String?, at end: Point, from before: Point, _ sketch: inout Sketch) {
        let (dx, dy) = (end.x - before.x, end.y - before.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard let name, length > 0 else { return }
        let (x, y) = (dx / length, dy / length)
        /// Returns the point at a distance along the line and to its side, in multiples of `size`.
        func at(_ along: Double, _ aside: Double) -> Point {
            Point(x: end.x + (along * x - aside * y) * size, y: end.y + (along * y + aside * x) * size)
        }
        var (closed, filled) = (true, isFilled)
        switch name {
        case "openArrow": (closed, filled) = arrow([at(-1.5, 0.9), end, at(-1.5, -0.9)], false, &sketch)
        case "closedArrow": (closed, filled) = arrow([at(-1.5, 0.9), end, at(-1.5, -0.9)], true, &sketch)
        case "reverseOpenArrow": (closed, filled) = arrow([at(1.5, 0.9), end, at(1.5, -0.9)], false, &sketch)
        case "reverseClosedArrow": (closed, filled) = arrow([at(1.5, 0.9), end, at(1.5, -0.9)], true, &sketch)
        case "square": sketch.path([at(-0.7, -0.7), at(0.7, -0.7), at(0.7, 0.7), at(-0.7, 0.7)])
        case "diamond": sketch.path([at(-1, 0), at(0, 1), at(1, 0), at(0, -1)])
        case "circle":
            sketch.ellipse(Rect(left: end.x - size, top: end.y - size, width: 2 * size, height: 2 * size))
        case "butt": (closed, filled) = arrow([at(0, -1), at(0, 1)], false, &sketch)
        case "slash": (closed, filled) = arrow([at(-0.6, -1), at(0.6, 1)], false, &sketch)
        default: return
        }
        sketch.paint(stroked: true, filled: filled, closed: closed)
    }

    private func arrow(_ points: [Point], _ isClosed: Bool, _ sketch: inout Sketch) -> (Bool, Bool) {
        sketch.path(points)
        return (isClosed, isClosed && isFilled)
    }
}

extension Rect {
    func inset(by margin: Double) -> Rect {
        Rect(
            left: left + margin, top: top + margin, width: max(0, width - 2 * margin),
            height: max(0, height - 2 * margin))
    }

    /// Clockwise from the top left.
    fileprivate var corners: [Point] {
        [
            Point(x: left, y: top), Point(x: right, y: top), Point(x: right, y: bottom), Point(x: left, y: bottom),
        ]
    }
}
