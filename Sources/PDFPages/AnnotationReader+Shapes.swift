import Annotations

// Reads drawn kinds: ink, lines, rectangles, ellipses, polygons.
extension AnnotationReader {
    mutating func ink() {
        json["type"] = "pspdfkit/ink"
        json["strokeColor"] = color("C")
        json["lineWidth"] = strokeWidth
        json["isDrawnNaturally"] = false
        json["note"] = contents.map(JSON.string)
        let lines = strokes()
        json["lines"] = [
            "points": .array(lines.map { .array($0.map(\.json)) }),
            "intensities": intensities(of: lines) ?? .array(lines.map { .array($0.map { _ in 0.5 }) }),
        ]
        if lines.isEmpty { note("no strokes") }
    }

    /// PDF has no place for the pressure at each point. Another program may have changed the strokes since.
    private func intensities(of lines: [[Point]]) -> JSON? {
        guard let items = source.array(AnnotationNames.intensities) else { return nil }
        let numbers = items.map { (source.file.resolve($0).array ?? []).compactMap { source.file.resolve($0).number } }
        guard numbers.map(\.count) == lines.map(\.count) else { return nil }
        return .array(numbers.map { .array($0.map { .number(JSONNumber($0.clamped(to: 0...1))) }) })
    }

    private mutating func strokes() -> [[Point]] {
        var left = Self.maxNumbers
        var lines: [[Point]] = []
        for item in source.array("InkList") ?? [] {
            guard case .array(let items) = source.file.resolve(item) else {
                note("a stroke cannot be read")
                cut("a stroke that cannot be read")
                continue
            }
            if items.count > left { cut(Self.tooManyPoints) }
            guard left > 0 || items.isEmpty else { break }
            let numbers = items.prefix(left).compactMap { source.file.resolve($0).number }
            if numbers.count < min(items.count, left) {
                note("a stroke is incomplete")
                cut("a stroke that cannot be read")
            }
            left -= numbers.count
            let points = frame.points(numbers)
            if !points.isEmpty { lines.append(points) }
        }
        return lines
    }

    mutating func line() {
        json["type"] = "pspdfkit/shape/line"
        outline()
        json["lineCaps"] = lineCaps
        let ends = frame.points(source.numbers("L") ?? [])
        guard ends.count == 2 else { return note("no end points") }
        json["startPoint"] = ends[0].json
        json["endPoint"] = ends[1].json
    }

    mutating func shape(_ name: String) {
        json["type"] = .string("pspdfkit/shape/\(name)")
        outline()
        cloud()
        json["cloudyBorderInset"] = box.flatMap { Margins(of: source, on: frame, in: $0) }?.json
    }

    private mutating func cloud() {
        if let effect = source.dictionary("BE"), effect["S"].name == "C", let intensity = effect["I"].number {
            json["cloudyBorderIntensity"] = .number(JSONNumber(min(2, max(0, intensity))))
        }
    }

    mutating func polygon(_ name: String) {
        json["type"] = .string("pspdfkit/shape/\(name)")
        outline()
        if name == "polyline" { json["lineCaps"] = lineCaps } else { cloud() }
        let points = groups("Vertices", of: 2).flatMap { frame.points($0) }
        json["points"] = .array(points.map(\.json))
        if points.isEmpty { note("no corners") }
    }

    private mutating func outline() {
        json["strokeColor"] = color("C")
        json["strokeWidth"] = strokeWidth
        json["strokeDashArray"] = dashes()
        json["fillColor"] = color("IC")
        json["note"] = contents.map(JSON.string)
    }

    private var lineCaps: JSON? {
        guard let names = source.array("LE")?.map({ source.file.resolve($0).name }), names.count == 2 else {
            return nil
        }
        let ends = names.map { $0.flatMap { AnnotationNames.caps[$0] } }
        let members = zip(["start", "end"], ends).compactMap { key, cap in cap.map { (key, JSON.string($0)) } }
        guard !members.isEmpty else { return nil }
        var caps = JSONObject()
        for (key, cap) in members { caps[key] = cap }
        return .object(caps)
    }
}
