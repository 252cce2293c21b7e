import Annotations

// Draws carets, redactions that are not applied yet, and the icons of attached files.
extension AppearanceWriter {
    /// Draws a filled caret, whose sides are curved.
    func caret() -> Appearance {
        var sketch = Sketch(box)
        sketch.fill(with: color("color") ?? [0.13, 0.58, 0.98])
        let (top, foot) = (Point(x: box.middle.x, y: box.top), box.bottom)
        let waist = Point(x: box.middle.x, y: box.middle.y)
        sketch.move(Point(x: box.left, y: foot))
        sketch.curve(Point(x: box.middle.x, y: foot), waist, top)
        sketch.curve(waist, Point(x: box.middle.x, y: foot), Point(x: box.right, y: foot))
        sketch.paint(stroked: false, filled: true, closed: true)
        return finish(sketch)
    }

    /// Draws the outline: the content below stays readable until a redacting program removes it.
    func redaction() -> Appearance {
        let rects = (json["rects"]?.array ?? []).prefix(AnnotationReader.maxNumbers / 8).compactMap(Rect.init(json:))
        var sketch = Sketch(rects.reduce(box) { $0.union($1) })
        sketch.stroke(with: color("outlineColor") ?? [1, 0, 0], width: 1)
        for rect in rects.isEmpty ? [box] : Array(rects) { sketch.rectangle(rect.inset(by: 0.5)) }
        sketch.paint(stroked: true, filled: false)
        return finish(sketch)
    }

    /// Draws a sheet with a folded corner and a clip.
    func fileIcon() -> Appearance {
        let side = min(box.width, box.height)
        func at(_ x: Double, _ y: Double) -> Point { Point(x: box.left + x * side / 16, y: box.top + y * side / 16) }
        var sketch = Sketch(box)
        sketch.fill(with: color("color") ?? [1, 0.85, 0.25])
        sketch.stroke(with: [0.2, 0.2, 0.2], width: max(side / 16, 0.1))
        sketch.raw("1 j 1 J")
        sketch.path([at(4, 1), at(11, 1), at(15, 5), at(15, 15), at(4, 15)])
        sketch.paint(stroked: true, filled: true, closed: true)
        sketch.path([at(11, 1), at(11, 5), at(15, 5)])
        sketch.paint(stroked: true, filled: false)
        sketch.path([at(6, 4), at(6, 11), at(2, 11), at(2, 3), at(8, 3)])
        sketch.paint(stroked: true, filled: false)
        var appearance = finish(sketch)
        // The icon stays upright on a rotated page.
        appearance.turns = 0
        return appearance
    }
}
