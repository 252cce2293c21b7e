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
    /// The call-out's line that the record has.
    let callout: Callout?

    /// - Returns: nil for an annotation without a box.
    init?(_ content: Content, on frame: PageFrame, image: EmbeddedImage? = nil, over own: PDFDictionary? = nil) {
        self.own = own
        json = content.object
        kind = AnnotationKind(of: json)
        self.frame = frame
        self.image = image
        // A new comment is read with its root: it has no place and draws nothing.
        let nowhere = Rect(left: 0, top: 0, width: Content.noteSide, height: Content.noteSide)
        let place = json["bbox"].flatMap(Rect.init(json:))
        guard let box = kind == .comment && (own == nil || place == nil) ? nowhere : place else { return nil }
        callout = kind == .text ? Callout(json) : nil
        self.box = callout?.outer ?? box
    }

    /// - Returns: nil where readers draw the annotation themselves: links, kinds without a drawing of their own, and text outside WinAnsi, for
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
        case .comment: return own == nil ? finish(Sketch(box)) : note()
        case .caret: return caret()
        case .redaction: return redaction()
        case .file: return fileIcon()
        case .link, .formField, .sound, .movie, .screen, .richMedia, .model3D, .projection, .watermark,
            .printersMark, .trapNetwork, .unknown:
            return nil
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

    /// The box without the margins in which a cloud or a call-out's line is drawn (`RD`).
    var inner: Rect {
        if let callout { return callout.inner }
        if let inset = json["cloudyBorderInset"] { return Margins(json: inset)?.inside(box) ?? box }
        return own.flatMap { Margins(of: $0, on: frame, in: box) }?.inside(box) ?? box
    }

    /// Whether the words of a stamp are known only from its picture.
    var isStampWithoutTitle: Bool {
        kind == .stamp && json["title"]?.string?.isEmpty != false
            && !AnnotationNames.stamps.contains(json["stampType"]?.string ?? "")
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
            // At most 2000, unless the numbers are beyond any page.
            let count = min(2000, Int(saturating: (rect.width / step).rounded(.up)))
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
}
