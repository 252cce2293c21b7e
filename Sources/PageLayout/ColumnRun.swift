import Annotations

/// Adjacent bands that leave the same gutter free, with running text on both sides of it.
struct ColumnRun {
    var bands: Range<Int>
    /// The words of each column, from left to right.
    var parts: [[Int]]

    /// Limit on bands before the first one with text on both sides.
    private static let maxLeadLength = 60
    /// Limit on gutters tried; pages have one or two.
    private static let maxGutters = 6

    /// Finds the run that begins with the band `start`; nil when there is none.
    init?(bands: [PageBand], from start: Int, words: [PageWord], height: Double) {
        let (end, gutters) = Self.gutters(of: bands, from: start, width: height * 0.8)
        guard !gutters.isEmpty else { return nil }
        let run = bands[start..<end].flatMap(\.words)
        func cut(at gutters: [Gutter]) -> [[Int]] {
            var parts: [[Int]] = Array(repeating: [], count: gutters.count + 1)
            for word in run {
                let middle = words[word].box.middle.x
                parts[gutters.partitionPoint { $0.right <= middle }].append(word)
            }
            return parts
        }
        // Try the widest gutter first, and use each one that leaves running text in every part.
        var taken: [Gutter] = []
        for gutter in gutters.sorted(by: { $0.width > $1.width }).prefix(Self.maxGutters) {
            let more = (taken + [gutter]).sorted { $0.left < $1.left }
            if Self.areColumns(cut(at: more), words, height) { taken = more }
        }
        guard !taken.isEmpty else { return nil }
        self.bands = start..<end
        parts = cut(at: taken)
    }

    /// Returns the end of the bands from `start` on that leave the same gutters free, and these gutters. Once found, a
    /// gutter must remain free; before that, the second column may begin up to ``maxLeadLength`` bands later.
    private static func gutters(of bands: [PageBand], from start: Int, width: Double) -> (end: Int, [Gutter]) {
        var free = bands[start].free.filter { $0.width >= width }
        var box = bands[start].box
        var inner = free.filter { $0.isInner(of: box) }
        var end = start + 1
        while end < bands.count, !free.isEmpty {
            let shared = sharedGutters(free, bands[end].free, width: width)
            let reach = box.union(bands[end].box)
            let within = shared.filter { $0.isInner(of: reach) }
            if within.isEmpty, !inner.isEmpty || end - start > maxLeadLength { break }
            (free, inner, box) = (shared, within, reach)
            end += 1
        }
        return (end, inner)
    }

    /// Returns the gutters common to two sets, each ordered from left to right.
    private static func sharedGutters(_ some: [Gutter], _ others: [Gutter], width: Double) -> [Gutter] {
        var shared: [Gutter] = []
        var first = 0
        var second = 0
        while first < some.count, second < others.count {
            let both = some[first].shared(others[second])
            if both.width >= width { shared.append(both) }
            if some[first].right < others[second].right { first += 1 } else { second += 1 }
        }
        return shared
    }

    /// Whether the parts are running text, side by side and not one below the other.
    private static func areColumns(_ parts: [[Int]], _ words: [PageWord], _ height: Double) -> Bool {
        guard parts.allSatisfy({ isText($0, words, height) }) else { return false }
        let boxes = parts.map { part in Rect.around(part.lazy.map { words[$0].box }) }
        return zip(boxes, boxes.dropFirst()).allSatisfy { $0.sharedHeight($1) > 0.5 }
    }

    /// Whether words make at least three rows of running text, not numbers, labels or list marks.
    private static func isText(_ side: [Int], _ words: [PageWord], _ height: Double) -> Bool {
        let bands = PageBand.bands(of: side, in: words)
        let rows = bands.reduce(0) { $0 + $1.rows(height: height) }
        guard rows >= 3 else { return false }
        let perRow = bands.map { band in
            Double(band.words.reduce(0) { $0 + words[$1].cells + 1 } / band.rows(height: height))
        }
        return median(perRow, otherwise: 0) >= 18
    }
}
