import Annotations

/// Words broken into lines in a box. Words that need more room than the box has are set smaller, so that none is cut
/// off: another program may have measured them with another font.
struct FittedText {
    private let lines: [[UInt8]]
    private let font: StandardFont
    private let size: Double
    private let inside: Rect

    /// - Parameter letters: in WinAnsi.
    init(_ letters: [UInt8], _ font: StandardFont, size: Double, in box: Rect) {
        self.font = font
        // First without the margin, then in smaller sizes.
        var tries = [(2.0, 1.0), (0.0, 1.0)]
        tries += (1...17).map { (0.0, 1 - Double($0) * 0.04) }
        for (margin, scale) in tries {
            let inside = box.inset(by: margin)
            let lines = font.lines(letters, size: size * scale, width: inside.width + 0.5)
            let isLast = scale == tries.last?.1
            guard isLast || Self.fits(lines, letters, font, size * scale, inside) else { continue }
            self.lines = lines
            self.size = size * scale
            self.inside = inside
            return
        }
        (lines, self.size, inside) = ([], size, box)
    }

    private static func fits(
        _ lines: [[UInt8]], _ letters: [UInt8], _ font: StandardFont, _ size: Double, _ box: Rect
    ) -> Bool {
        let last = StandardFont.leading * size
        guard Double(lines.count - 1) * StandardFont.leading * size + last <= box.height + 0.5 else { return false }
        // A word that is wider than the box was broken.
        let breaks: Set<UInt8> = [0x20, 0x0A]
        return letters.split(whereSeparator: breaks.contains)
            .allSatisfy { font.width($0, size: size) <= box.width + 0.5 }
    }

    func draw(on sketch: inout Sketch, across: String?, down: String?) {
        let height = Double(lines.count) * size * StandardFont.leading
        let room = max(0, inside.height - height)
        let top =
            switch down {
            case "center": inside.top + room / 2
            case "bottom": inside.top + room
            default: inside.top
            }
        sketch.raw("BT")
        sketch.raw("/F \(Decimals.text(size)) Tf")
        for (index, line) in lines.enumerated() {
            let spare = inside.width - font.width(line, size: size)
            let left =
                switch across {
                case "center": inside.left + spare / 2
                case "right": inside.left + spare
                default: inside.left
                }
            let baseline = top + (Double(index) * StandardFont.leading + StandardFont.ascent) * size
            sketch.op("Tm", 1, 0, 0, 1, left - sketch.area.left, sketch.area.bottom - baseline)
            sketch.raw("<\(line.hexadecimal)> Tj")
        }
        sketch.raw("ET")
    }
}
