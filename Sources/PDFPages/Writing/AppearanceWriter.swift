import Annotations

/// Draws an annotation from its Instant JSON.
struct AppearanceWriter {
    let json: JSONObject
    let kind: AnnotationKind
    let frame: PageFrame
    let box: Rect
    /// The file of an image annotation, if PDF can hold it.
    let image: EmbeddedImage?
    /// The dictionary of an annotation that is in the file already, for what its record does not say.
    let own: PDFDictionary?

    /// - Returns: nil for an annotation without a box.
    init?(_ content: Content, on frame: PageFrame, image: EmbeddedImage? = nil, over own: PDFDictionary? = nil) {
        self.own = own
        json = content.object
        kind = AnnotationKind(type: json["type"]?.string ?? "")
        self.frame = frame
        self.image = image
        // A comment is read with its root: it has no place and draws nothing.
        let nowhere = Rect(left: 0, top: 0, width: Content.noteSide, height: Content.noteSide)
        guard let box = kind == .comment ? nowhere : json["bbox"].flatMap(Rect.init(json:)) else { return nil }
        self.box = box
    }

    /// - Returns: nil where readers draw the annotation themselves: links, unknown kinds, and text outside WinAnsi, for
    ///   which they supply fonts.
    func appearance() -> Appearance? {
        switch kind {
        case .highlight, .underline, .strikeOut, .squiggly: return markup()
        case .note, .commentMarker: return note()
        case .text: return freeText()
        case .ink: return ink()
        case .line, .polyline: return line()
        case .polygon: return polygon()
        case .rectangle, .ellipse: return shape()
        case .stamp: return stamp()
        case .image: return picture()
        case .comment: return finish(Sketch(box))
        case .link, .unknown: return nil
        }
    }

    func finish(_ sketch: Sketch) -> Appearance {
        Appearance(
            area: sketch.area, place: sketch.area, stream: "/G gs\n" + sketch.stream, turns: frame.turns,
            opacity: opacity)
    }

    private var opacity: Double { (json["opacity"]?.double ?? 1).clamped(to: 0...1) }

    func color(_ member: String) -> [Double]? { json[member]?.string.flatMap(Color.components) }

    func number(_ member: String, _ usual: Double, _ range: ClosedRange<Double> = 0...1000) -> Double {
        (json[member]?.double ?? usual).clamped(to: range)
    }

    var dashes: [Double] {
        (json["strokeDashArray"]?.array ?? []).prefix(16).compactMap { $0.double?.clamped(to: 0...9999) }
    }

    // MARK: Words

    private func markup() -> Appearance {
        let rects = (json["rects"]?.array ?? []).prefix(AnnotationReader.maxNumbers / 8).compactMap(Rect.init(json:))
        var sketch = Sketch(rects.reduce(box) { $0.union($1) })
        let color = color("color") ?? Self.usualColor(kind)
        if kind == .highlight {
            sketch.fill(with: color)
            for rect in rects { sketch.rectangle(rect) }
            sketch.paint(stroked: false, filled: true)
        } else {
            for rect in rects { words(rect, color, &sketch) }
        }
        var appearance = finish(sketch)
        appearance.multiplies = kind == .highlight
        return appearance
    }

    private func words(_ rect: Rect, _ color: [Double], _ sketch: inout Sketch) {
        let width = (rect.height / 14).clamped(to: 0.5...4)
        sketch.stroke(with: color, width: width)
        let y = kind == .strikeOut ? rect.middle.y : rect.bottom - width
        if kind == .squiggly {
            let step = max(width * 2, rect.width / 2000)
            let count = Int((rect.width / step).rounded(.up))
            sketch.path(
                (0...count).map {
                    Point(x: min(rect.right, rect.left + Double($0) * step), y: $0 % 2 == 0 ? y : y - step)
                })
        } else {
            sketch.path([Point(x: rect.left, y: y), Point(x: rect.right, y: y)])
        }
        sketch.paint(stroked: true, filled: false)
    }

    private static func usualColor(_ kind: AnnotationKind) -> [Double] {
        switch kind {
        case .highlight: [0.99, 0.93, 0.49]
        case .strikeOut: [0.82, 0.13, 0.18]
        default: [0.13, 0.58, 0.98]
        }
    }

    /// Draws a sheet with lines.
    private func note() -> Appearance {
        var sketch = Sketch(box)
        let side = min(box.width, box.height)
        let edge = side / 16
        let sheet = Rect(
            left: box.left + edge, top: box.top + edge, width: side - 2 * edge, height: side - 2 * edge)
        sketch.fill(with: color("color") ?? [1, 0.85, 0.25])
        sketch.stroke(with: [0.2, 0.2, 0.2], width: max(edge, 0.1))
        sketch.rectangle(sheet)
        sketch.paint(stroked: true, filled: true)
        for part in [0.3, 0.5, 0.7] {
            let y = sheet.top + sheet.height * part
            sketch.path([
                Point(x: sheet.left + sheet.width * 0.2, y: y), Point(x: sheet.right - sheet.width * 0.2, y: y),
            ])
        }
        sketch.paint(stroked: true, filled: false)
        var appearance = finish(sketch)
        // A note stays upright on a rotated page (ISO 32000-1, 12.5.6.4).
        appearance.turns = 0
        return appearance
    }
}
