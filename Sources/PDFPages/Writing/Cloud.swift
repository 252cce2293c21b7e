import Annotations

/// A cloudy border (ISO 32000-2, table 169): the outline as a row of arcs that bulge outwards.
struct Cloud {
    /// How far the arcs reach beyond the outline.
    let reach: Double

    private static let maxArcs = 2000

    init(intensity: Double, width: Double) { reach = 4 * intensity.clamped(to: 0.25...2) + width / 2 }

    /// Adds the closed path.
    func draw(around outline: [Point], _ sketch: inout Sketch) {
        let corners = corners(on: outline)
        guard let first = corners.first, corners.count > 2 else { return }
        // Twice the area, negative if the outline runs against the clock, y downwards.
        let pairs = zip(corners, corners.dropFirst() + [first])
        let area = pairs.reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
        let side = area > 0 ? 1.0 : -1.0
        sketch.move(first)
        for (start, end) in pairs {
            // With this height of the control points, the curve is close to half a circle.
            let (x, y) = (side * (end.y - start.y) * 2 / 3, -side * (end.x - start.x) * 2 / 3)
            sketch.curve(Point(x: start.x + x, y: start.y + y), Point(x: end.x + x, y: end.y + y), end)
        }
        sketch.raw("h")
    }

    /// Returns the points between which the arcs stand, evenly on each side.
    private func corners(on outline: [Point]) -> [Point] {
        guard let first = outline.first else { return [] }
        let sides = zip(outline, outline.dropFirst() + [first])
        let total = sides.reduce(0) { $0 + Self.length($1.0, $1.1) }
        let step = max(2 * reach, total / Double(Self.maxArcs))
        return sides.flatMap { start, end -> [Point] in
            let count = max(1, min(Self.maxArcs, Int(saturating: (Self.length(start, end) / step).rounded(.up))))
            return (0..<count).map { index in
                let part = Double(index) / Double(count)
                return Point(x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part)
            }
        }
    }

    private static func length(_ one: Point, _ other: Point) -> Double {
        ((one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y)).squareRoot()
    }

    /// Returns points on an ellipse at equal distances, at most the width of an arc apart.
    func outline(ofEllipseIn box: Rect) -> [Point] {
        let middle = box.middle
        let fine = Turn.points(1000).map {
            Point(x: middle.x + $0.x * box.width / 2, y: middle.y + $0.y * box.height / 2)
        }
        let lengths = zip(fine, fine.dropFirst() + fine.prefix(1)).map { Self.length($0.0, $0.1) }
        let total = lengths.reduce(0, +)
        let count = min(Self.maxArcs, max(8, Int(saturating: (total / (2 * reach)).rounded(.up))))
        var (points, passed): ([Point], Double) = ([], 0)
        for (point, length) in zip(fine, lengths) {
            if passed >= Double(points.count) * total / Double(count) { points.append(point) }
            passed += length
        }
        return points
    }
}

/// Points on the unit circle.
private enum Turn {
    /// Returns evenly spaced points, each the one before turned by the same angle.
    static func points(_ count: Int) -> [Point] {
        let angle = 2 * Double.pi / Double(count)
        // Taylor series; the angle is at most a quarter turn.
        var (cosine, sine, term) = (0.0, 0.0, 1.0)
        for power in 0..<24 {
            if power % 2 == 0 { cosine += power % 4 == 0 ? term : -term } else { sine += power % 4 == 1 ? term : -term }
            term *= angle / Double(power + 1)
        }
        var points = [Point(x: 1, y: 0)]
        for _ in 1..<max(count, 1) {
            let last = points[points.count - 1]
            points.append(Point(x: last.x * cosine - last.y * sine, y: last.x * sine + last.y * cosine))
        }
        return points
    }
}
