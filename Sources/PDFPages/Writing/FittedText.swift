import Annotations

/// Words broken into lines in a box. Words that need more room than the box has are set smaller, so that none is cut
/// off: another program may have measured them with another font.
struct FittedText {
    private let text: StyledLetters
    private let lines: [Range<Int>]
    private let size: Double
    private let inside: Rect

    init(_ text: StyledLetters, size: Double, in box: Rect) {
        self.text = text
        // First without the margin, then in smaller sizes.
        var tries = [(2.0, 1.0), (0.0, 1.0)]
        tries += (1...17).map { (0.0, 1 - Double($0) * 0.04) }
        for (margin, scale) in tries {
            let inside = box.inset(by: margin)
            let lines = text.lines(size: size * scale, width: inside.width + 0.5)
            let isLast = scale == tries.last?.1
            guard isLast || Self.fits(lines, text, size * scale, inside) else { continue }
            self.lines = lines
            self.size = size * scale
            self.inside = inside
            return
        }
        (lines, self.size, inside) = ([], size, box)
    }

    private static func fits(_ lines: [Range<Int>], _ text: StyledLetters, _ size: Double, _ box: Rect) -> Bool {
        guard lines.reduce(0, { $0 + text.scale($1) }) * StandardFont.leading * size <= box.height + 0.5 else {
            return false
        }
        // A word that is wider than the box was broken.
        return text.words.allSatisfy { text.width($0, size: size) <= box.width + 0.5 }
    }

    /// - Parameter color: of what has no colour of its own.
    func draw(on sketch: inout Sketch, color: [Double], across: String?, down: String?) {
        let height = lines.reduce(0) { $0 + text.scale($1) } * size * StandardFont.leading
        let room = max(0, inside.height - height)
        let top =
            switch down {
            case "center": inside.top + room / 2
            case "bottom": inside.top + room
            default: inside.top
            }
        var pen = Pen(color: color)
        sketch.fill(with: pen.color(of: text.faces[0]))
        sketch.raw("BT")
        pen.use(0, text.faces[0], size, &sketch)
        var rules: [Rule] = []
        var above = 0.0
        for line in lines {
            let spare = inside.width - text.width(line, size: size)
            var left =
                switch across {
                case "center": inside.left + spare / 2
                case "right": inside.left + spare
                default: inside.left
                }
            let scale = text.scale(line)
            let baseline = top + (above * StandardFont.leading + StandardFont.ascent * scale) * size
            above += scale
            sketch.op("Tm", 1, 0, 0, 1, left - sketch.area.left, sketch.area.bottom - baseline)
            // Spaces between lines have no part.
            for part in line.isEmpty ? [line] : text.parts(line) {
                if !part.isEmpty {
                    let index = text.face[part.lowerBound]
                    pen.use(index, text.faces[index], size, &sketch)
                    let width = text.width(part, size: size)
                    rules += Rule.rules(of: text.faces[index], pen.color(of: text.faces[index]), size).map {
                        $0.under(left: left, baseline: baseline, width: width)
                    }
                    left += width
                }
                sketch.raw("<\(text.letters[part].hexadecimal)> Tj")
            }
        }
        sketch.raw("ET")
        for rule in rules {
            sketch.fill(with: rule.color)
            sketch.rectangle(rule.box)
            sketch.paint(stroked: false, filled: true)
        }
    }
}

/// The face and the colour in which the next letters are set.
private struct Pen {
    let color: [Double]
    private var face: Int?
    private var present: [Double]?

    init(color: [Double]) { self.color = color }

    func color(of face: StyledLetters.Face) -> [Double] { face.style.color.flatMap(Color.components) ?? color }

    mutating func use(_ index: Int, _ face: StyledLetters.Face, _ size: Double, _ sketch: inout Sketch) {
        guard index != self.face else { return }
        sketch.raw("/\(Appearance.fontName(index)) \(Decimals.text(size * face.scale)) Tf")
        let wanted = color(of: face)
        if let present, present != wanted { sketch.fill(with: wanted) }
        (self.face, present) = (index, wanted)
    }
}

/// The line of a text that is underlined or struck out.
private struct Rule {
    let color: [Double]
    /// From the baseline, downwards.
    let distance, thickness: Double
    private(set) var box = Rect.zero

    static func rules(of face: StyledLetters.Face, _ color: [Double], _ size: Double) -> [Rule] {
        let size = size * face.scale
        return (face.style.isUnderlined ? [0.1] : []).map {
            Rule(color: color, distance: $0 * size, thickness: 0.05 * size)
        }
            + (face.style.isStruckOut ? [-0.27] : []).map {
                Rule(color: color, distance: $0 * size, thickness: 0.05 * size)
            }
    }

    private init(color: [Double], distance: Double, thickness: Double) {
        (self.color, self.distance, self.thickness) = (color, distance, thickness)
    }

    func under(left: Double, baseline: Double, width: Double) -> Rule {
        var rule = self
        rule.box = Rect(left: left, top: baseline + distance, width: width, height: thickness)
        return rule
    }
}
