/// The displayed part and rotation of a page. Converts points of the file (in points, y upwards, any origin) to points
/// of the displayed page (in points, y downwards, origin top left), and back.
///
/// Poppler follows the same rules except for the user unit, so marks match the text: corners in any order, the crop box clipped to the media
/// box, US Letter if there is no box, and rotation by quarter turns only.
package struct PageFrame: Hashable, Sendable {
    /// The displayed part, in the file's coordinates, but in points.
    package let left, bottom, width, height: Double
    /// Points in one unit of the file's coordinates (`UserUnit`).
    package let unit: Double
    /// Quarter turns clockwise, 0…3.
    package let turns: Int

    package init(
        left: Double = 0, bottom: Double = 0, width: Double, height: Double, turns: Int = 0, unit: Double = 1
    ) {
        self.unit = unit
        (self.left, self.bottom, self.width, self.height) = (left, bottom, width, height)
        self.turns = (turns % 4 + 4) % 4
    }

    package init(mediaBox: [Double]?, cropBox: [Double]?, rotation: Double?, userUnit: Double? = nil) {
        let unit = userUnit.flatMap { (0.01...1000).contains($0) ? $0 : nil } ?? 1
        let media = Self.sorted(mediaBox) ?? (0, 0, 612, 792)
        var shown = media
        if let crop = Self.sorted(cropBox) {
            let cut = (max(crop.0, media.0), max(crop.1, media.1), min(crop.2, media.2), min(crop.3, media.3))
            if cut.0 < cut.2, cut.1 < cut.3 { shown = cut }
        }
        let degrees = rotation.flatMap { Int(exactly: $0.truncatingRemainder(dividingBy: 360)) } ?? 0
        self.init(
            left: shown.0 * unit, bottom: shown.1 * unit, width: (shown.2 - shown.0) * unit,
            height: (shown.3 - shown.1) * unit, turns: degrees % 90 == 0 ? degrees / 90 : 0, unit: unit)
    }

    private static func sorted(_ box: [Double]?) -> (Double, Double, Double, Double)? {
        guard let box, box.count == 4, box.allSatisfy({ abs($0) <= 1_000_000 }) else { return nil }
        let sorted = (min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3]))
        return sorted.0 < sorted.2 && sorted.1 < sorted.3 ? sorted : nil
    }

    /// The size of the page as displayed.
    package var displayedWidth: Double { turns % 2 == 0 ? width : height }
    package var displayedHeight: Double { turns % 2 == 0 ? height : width }
}

// MARK: - From the file to the display
extension PageFrame {
    package func point(_ x: Double, _ y: Double) -> Point {
        let across = x * unit - left
        let down = bottom + height - y * unit
        return switch turns {
        case 1: Point(x: height - down, y: across)
        case 2: Point(x: width - across, y: height - down)
        case 3: Point(x: down, y: width - across)
        default: Point(x: across, y: down)
        }
    }

    /// Returns the smallest box around the points `x, y, x, y, …`; nil without any.
    package func box(around numbers: some Collection<Double>) -> Rect? {
        let points = points(numbers)
        guard let first = points.first else { return nil }
        return points.reduce(Rect(left: first.x, top: first.y, width: 0, height: 0)) {
            $0.union(Rect(left: $1.x, top: $1.y, width: 0, height: 0))
        }
    }

    /// Returns the points `x, y, x, y, …`; an unpaired last number is left out.
    package func points(_ numbers: some Collection<Double>) -> [Point] {
        let numbers = Array(numbers)
        return stride(from: 0, to: numbers.count - 1, by: 2).map { point(numbers[$0], numbers[$0 + 1]) }
    }
}

// MARK: - From the display to the file
extension PageFrame {
    /// Returns `[x, y]` in the file's coordinates.
    package func place(_ point: Point) -> [Double] {
        let (across, down) =
            switch turns {
            case 1: (point.y, height - point.x)
            case 2: (width - point.x, height - point.y)
            case 3: (width - point.y, point.x)
            default: (point.x, point.y)
            }
        return [(left + across) / unit, (bottom + height - down) / unit]
    }

    /// Returns `[left, bottom, right, top]` in the file's coordinates.
    package func corners(of box: Rect) -> [Double] {
        let one = place(Point(x: box.left, y: box.top))
        let other = place(Point(x: box.right, y: box.bottom))
        return [min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1])]
    }

    /// Returns the corners of a box of text in the order that PDF readers expect: top left, top right, bottom left,
    /// bottom right as displayed.
    package func quad(of box: Rect) -> [Double] {
        [
            Point(x: box.left, y: box.top), Point(x: box.right, y: box.top), Point(x: box.left, y: box.bottom),
            Point(x: box.right, y: box.bottom),
        ].flatMap(place)
    }
}
