package import Annotations

// Converts between positions on the page, in points, and glyphs.
extension PageGlyphs {
    /// Returns the glyphs in any of the boxes. A glyph counts if its centre is horizontally within the box and at least
    /// half of its height is inside (or half of the box's height, when the box is flatter than the line, as for an
    /// underline).
    package func ranges(in rects: [Rect]) -> [Range<Int>] {
        var inside: Set<Int> = []
        for rect in rects {
            for line in lines where line.box.overlap(rect.grown) > 0 {
                for index in line.glyphs where glyphs[index].box.isMarked(by: rect) { inside.insert(index) }
            }
        }
        return ranges(of: inside.sorted())
    }

    /// Returns the words under a mark's boxes as one line, with dots between separate stretches.
    package func words(under rects: [Rect]) -> String {
        let parts = ranges(in: rects).map { text(of: $0) }
        return parts.joined(separator: " ... ").split(whereScalar: \.properties.isWhitespace).joined(separator: " ")
    }

    /// Joins consecutive indices, also across spaces and hidden hyphens, and trims spaces.
    private func ranges(of indices: [Int]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for index in indices {
            if let last = ranges.last,
                (last.upperBound..<index).allSatisfy({ glyphs[$0].isSpace || glyphs[$0].role == .lineEndHyphen })
            {
                ranges[ranges.count - 1] = last.lowerBound..<index + 1
            } else {
                ranges.append(index..<index + 1)
            }
        }
        return ranges.map(trimmed).filter { !$0.isEmpty }
    }

    /// Returns the glyph nearest to a point, on the nearest line, with the greatest weight on vertical distance; nil on
    /// a page without text.
    package func glyph(nearest point: Point) -> Int? {
        var best: (line: Int, distance: Double)?
        for (index, line) in lines.enumerated() {
            let across = max(line.box.left - point.x, 0, point.x - line.box.right)
            let down = max(line.box.top - point.y, 0, point.y - line.box.bottom)
            let distance = across + 4 * down
            if distance < best?.distance ?? .infinity { best = (index, distance) }
        }
        guard let best else { return nil }
        return lines[best.line].glyphs.min { first, second in
            glyphs[first].box.distance(to: point) < glyphs[second].box.distance(to: point)
        }
    }

    /// Returns the boxes of a range, one per source line and as high as the line, as a markup annotation stores them.
    package func rects(of range: Range<Int>) -> [Rect] {
        guard let first = range.first, let last = range.last, last < glyphs.count else { return [] }
        return (glyphs[first].line...glyphs[last].line).compactMap { line in
            let part = trimmed(lines[line].glyphs.clamped(to: range))
            guard !part.isEmpty else { return nil }
            let box = Rect.around(glyphs[part].lazy.map(\.box))
            if lines[line].isTurned { return box }
            return Rect(left: box.left, top: lines[line].box.top, width: box.width, height: lines[line].box.height)
        }
    }
}

extension Rect {
    /// Slightly enlarged, so that boxes without height still overlap their line.
    fileprivate var grown: Rect { Rect(left: left - 0.5, top: top - 0.5, width: width + 1, height: height + 1) }

    fileprivate func isMarked(by rect: Rect) -> Bool {
        guard middle.x >= rect.left, middle.x < rect.right else { return false }
        return min(bottom, rect.bottom) - max(top, rect.top) >= 0.5 * min(height, rect.height)
    }

    fileprivate func distance(to point: Point) -> Double {
        max(left - point.x, 0, point.x - right) + 4 * max(top - point.y, 0, point.y - bottom)
    }
}
