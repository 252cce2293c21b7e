import Annotations

/// How a page is shown: which part of the sheet, and turned how far. Takes places of the file (points, y
/// upwards, origin anywhere) to places of the page as displayed (points, y downwards, origin top left).
///
/// Poppler decides the same way, so that marks meet the words: corners in any order, the crop box cut to the
/// media box, US letter where there is no box, and a rotation that is no quarter turn is none.
struct PageFrame: Hashable, Sendable {
    /// The part shown, in the file's coordinates.
    private let left, bottom, width, height: Double
    /// Quarter turns clockwise, 0…3.
    private let turns: Int

    init(mediaBox: [Double]?, cropBox: [Double]?, rotation: Double?) {
        let media = Self.sorted(mediaBox) ?? (0, 0, 612, 792)
        var shown = media
        if let crop = Self.sorted(cropBox) {
            let cut = (max(crop.0, media.0), max(crop.1, media.1), min(crop.2, media.2), min(crop.3, media.3))
            if cut.0 < cut.2, cut.1 < cut.3 { shown = cut }
        }
        (left, bottom, width, height) = (shown.0, shown.1, shown.2 - shown.0, shown.3 - shown.1)
        let degrees = rotation.flatMap { Int(exactly: $0.truncatingRemainder(dividingBy: 360)) } ?? 0
        turns = degrees % 90 == 0 ? (degrees / 90 + 4) % 4 : 0
    }

    private static func sorted(_ box: [Double]?) -> (Double, Double, Double, Double)? {
        guard let box, box.count == 4, box.allSatisfy({ abs($0) <= 1_000_000 }) else { return nil }
        let sorted = (min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3]))
        return sorted.0 < sorted.2 && sorted.1 < sorted.3 ? sorted : nil
    }

    var size: PageSize {
        turns % 2 == 0 ? PageSize(width: width, height: height) : PageSize(width: height, height: width)
    }

    func point(_ x: Double, _ y: Double) -> Point {
        let across = x - left
        let down = bottom + height - y
        return switch turns {
        case 1: Point(x: height - down, y: across)
        case 2: Point(x: width - across, y: height - down)
        case 3: Point(x: down, y: width - across)
        default: Point(x: across, y: down)
        }
    }

    /// The smallest box that holds the points `x, y, x, y, …`; nil without any.
    func box(around numbers: some Collection<Double>) -> Rect? {
        let points = points(numbers)
        guard let first = points.first else { return nil }
        return points.reduce(Rect(left: first.x, top: first.y, width: 0, height: 0)) {
            $0.union(Rect(left: $1.x, top: $1.y, width: 0, height: 0))
        }
    }

    /// The points `x, y, x, y, …`; a last number without its pair is left out.
    func points(_ numbers: some Collection<Double>) -> [Point] {
        let numbers = Array(numbers)
        return stride(from: 0, to: numbers.count - 1, by: 2).map { point(numbers[$0], numbers[$0 + 1]) }
    }
}
