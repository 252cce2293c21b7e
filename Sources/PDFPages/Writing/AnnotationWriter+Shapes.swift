import Annotations

// Writes drawn kinds: ink, lines, rectangles, ellipses, polygons.
extension AnnotationWriter {
    mutating func ink() {
        entries["Subtype"] = .name("Ink")
        color("C", from: "strokeColor")
        border("lineWidth")
        text(from: "note")
        var room = AnnotationReader.maxNumbers / 2
        var strokes: [PDFObject] = []
        for line in json["lines"]?["points"]?.array ?? [] {
            let all = line.array ?? []
            if all.count > room { cut(AnnotationReader.tooManyPoints) }
            let points = all.prefix(room).compactMap(Point.init(json:))
            room -= points.count
            if !points.isEmpty { strokes.append(places(points)) }
        }
        entries["InkList"] = .array(strokes)
        entries[AnnotationNames.intensities] = intensities(of: strokes)
    }

    /// - Returns: nil if all have the usual value, or if they are not those of these strokes.
    private func intensities(of strokes: [PDFObject]) -> PDFObject? {
        let numbers = (json["lines"]?["intensities"]?.array ?? []).map { ($0.array ?? []).compactMap(\.double) }
        guard numbers.joined().contains(where: { $0 != 0.5 }),
            numbers.map({ 2 * $0.count }) == strokes.map({ $0.array?.count ?? 0 })
        else { return nil }
        return .array(numbers.map { .numbers($0.map { $0.clamped(to: 0...1) }) })
    }

    mutating func line() {
        entries["Subtype"] = .name("Line")
        outline()
        caps()
        let ends = ["startPoint", "endPoint"].compactMap { json[$0].flatMap(Point.init(json:)) }
        if ends.count == 2 { entries["L"] = places(ends) }
    }

    mutating func shape(_ name: String) {
        entries["Subtype"] = .name(name)
        outline()
        cloud()
        entries["RD"] = json["cloudyBorderInset"].flatMap(Margins.init(json:))?.entry(on: frame)
    }

    private mutating func cloud() {
        if let intensity = json["cloudyBorderIntensity"]?.double, intensity > 0 {
            entries["BE"] = .dictionary(["S": .name("C"), "I": .rounded(min(2, intensity))])
        }
    }

    mutating func polygon(_ name: String) {
        entries["Subtype"] = .name(name)
        outline()
        if name == "PolyLine" { caps() } else { cloud() }
        let all = json["points"]?.array ?? []
        if all.count > AnnotationReader.maxNumbers / 2 { cut(AnnotationReader.tooManyPoints) }
        let points = all.prefix(AnnotationReader.maxNumbers / 2)
        entries["Vertices"] = places(points.compactMap(Point.init(json:)))
    }

    private mutating func outline() {
        color("C", from: "strokeColor")
        color("IC", from: "fillColor")
        border("strokeWidth", dashes: true)
        text(from: "note")
    }

    private mutating func caps() {
        guard let caps = json["lineCaps"], !caps.isNull else { return }
        entries["LE"] = .array(["start", "end"].map { .name(AnnotationNames.cap(caps[$0]?.string)) })
    }

    private func places(_ points: [Point]) -> PDFObject { .numbers(points.flatMap(frame.place)) }
}
