import Annotations

/// The line of a free text to what it is about (ISO 32000-2, 12.5.6.6; Instant JSON: `callout`), on the displayed page.
struct Callout {
    /// Two or three points, from what the line points at to the text.
    let points: [Point]
    /// The end of the line at the first point, by its name in Instant JSON.
    let cap: String?
    /// The box of the text.
    let inner: Rect
    /// The box of text and line.
    let outer: Rect

    /// Reads the callout of a record.
    ///
    /// - Returns: nil for a record without one, or with one that cannot be drawn.
    init?(_ json: JSONObject) {
        guard let callout = json["callout"], let box = json["bbox"].flatMap(Rect.init(json:)) else { return nil }
        let points = ["start", "knee", "end"].compactMap { callout[$0].flatMap(Point.init(json:)) }
        guard points.count == 3 || points.count == 2 && (callout["knee"] ?? .null).isNull else { return nil }
        self.points = points
        cap = callout["cap"]?.string
        inner = callout["innerRectInset"].flatMap(Margins.init(json:))?.inside(box) ?? box
        // A file has one rectangle around everything.
        let width = (json["borderWidth"]?.double ?? 1).clamped(to: 0...1000)
        let reach = 1.5 * max(3 * width, 3)
        outer = points.reduce(box) { outer, point in
            let isInside =
                point.x >= box.left && point.x <= box.right && point.y >= box.top && point.y <= box.bottom
            guard !isInside else { return outer }
            return outer.union(
                Rect(left: point.x - reach, top: point.y - reach, width: 2 * reach, height: 2 * reach))
        }
    }

    /// Returns the callout of an annotation in the form of a record; nil if it has none.
    static func json(of source: PDFDictionary, on frame: PageFrame, in box: Rect?) -> JSON? {
        guard let numbers = source.numbers("CL"), numbers.count == 4 || numbers.count == 6, let box else { return nil }
        let points = frame.points(numbers)
        var callout = JSONObject()
        callout["start"] = points[0].json
        if points.count == 3 { callout["knee"] = points[1].json }
        callout["end"] = points[points.count - 1].json
        let cap = source["LE"].name ?? source.array("LE")?.first.flatMap { source.file.resolve($0).name }
        callout["cap"] = cap.flatMap { AnnotationNames.caps[$0] }.map(JSON.string)
        callout["innerRectInset"] = (Margins(of: source, on: frame, in: box) ?? .none).json
        return .object(callout)
    }
}

/// The distances of an inner box from an annotation's rectangle on the displayed page, in points (`RD`; Instant JSON:
/// `innerRectInset`, `cloudyBorderInset`).
struct Margins: Equatable {
    let left, top, right, bottom: Double

    static let none = Margins([0, 0, 0, 0])!

    private init?(_ values: [Double]) {
        guard values.count == 4, values.allSatisfy({ (0...1_000_000).contains($0) }) else { return nil }
        (left, top, right, bottom) = (values[0], values[1], values[2], values[3])
    }

    init?(json: JSON) {
        guard let items = json.array else { return nil }
        self.init(items.compactMap(\.double).count == items.count ? items.compactMap(\.double) : [])
    }

    /// - Returns: nil without margins, or for some that leave no room.
    init?(of source: PDFDictionary, on frame: PageFrame, in box: Rect) {
        guard var values = source.numbers("RD"), values.count == 4 else { return nil }
        // Left, top, right, bottom of the sheet; a page that is turned clockwise shows its left side at the top.
        for _ in 0..<frame.turns { values = [values[3]] + values[..<3] }
        self.init(values.map { $0 * frame.unit })
        guard inside(box) != nil else { return nil }
    }

    init(from outer: Rect, to inner: Rect) {
        left = max(0, inner.left - outer.left)
        top = max(0, inner.top - outer.top)
        right = max(0, outer.right - inner.right)
        bottom = max(0, outer.bottom - inner.bottom)
    }

    /// - Returns: nil if nothing is left of the box.
    func inside(_ box: Rect) -> Rect? {
        let (width, height) = (box.width - left - right, box.height - top - bottom)
        guard width > 0, height > 0 else { return nil }
        return Rect(left: box.left + left, top: box.top + top, width: width, height: height)
    }

    func entry(on frame: PageFrame) -> PDFObject {
        var values = [left, top, right, bottom]
        for _ in 0..<frame.turns { values = values[1...] + [values[0]] }
        return .numbers(values.map { $0 / frame.unit })
    }

    var json: JSON { .array([left, top, right, bottom].map { .number(JSONNumber(($0 * 1000).rounded() / 1000)) }) }
}
