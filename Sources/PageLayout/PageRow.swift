import Annotations

/// Words of one reading area at the same height, as stretches in reading order. Most rows are one stretch; a heading
/// and its number, or a label and its value, are two.
struct PageRow {
    /// Text without a wide gap.
    struct Stretch: Equatable {
        var words: [Int]
        var box: Rect
    }

    var stretches: [Stretch]
    var box: Rect
    /// Height of most of its text, in points.
    var height: Double
    /// Number of glyphs, without spaces.
    var count: Int

    /// Returns the rows of an area, from top to bottom.
    static func rows(of area: [Int], in words: [PageWord]) -> [PageRow] {
        // Words on one source line are level, however far apart.
        var lines: [Int: [Int]] = [:]
        for word in area { lines[words[word].sourceLine, default: []].append(word) }
        var groups: [(words: [Int], box: Rect)] = []
        for line in lines.values {
            for word in line.sorted() {
                let box = words[word].box
                if let last = groups.last, last.words.first.map({ words[$0].sourceLine }) == words[word].sourceLine,
                    last.box.sharedHeight(box) > 0.2
                {
                    groups[groups.count - 1].words.append(word)
                    groups[groups.count - 1].box = last.box.union(box)
                } else {
                    groups.append(([word], box))
                }
            }
        }
        groups.sort { ($0.box.middle.y, $0.box.left, $0.words[0]) < ($1.box.middle.y, $1.box.left, $1.words[0]) }

        var rows: [(words: [Int], boxes: [Rect], box: Rect)] = []
        for group in groups {
            if let row = rows.indices.last, rows[row].box.isLevel(with: group.box),
                rows[row].boxes.allSatisfy({ !$0.overlapsAcross(group.box) })
            {
                rows[row].words += group.words
                rows[row].boxes.append(group.box)
                rows[row].box = rows[row].box.union(group.box)
            } else {
                rows.append((group.words, [group.box], group.box))
            }
        }
        return rows.map { PageRow(words: $0.words, in: words) }
    }

    init(words row: [Int], in words: [PageWord]) {
        box = .around(row.lazy.map { words[$0].box })
        count = row.reduce(0) { $0 + words[$1].shown.count }
        height = weightedMedian(row.map { (words[$0].box.height, words[$0].shown.count) })
        let wide = height * 2
        stretches = []
        for word in Self.inReadingOrder(row, words) {
            let box = words[word].box
            if let last = stretches.last, box.left - last.box.right < wide, last.box.left - box.right < wide {
                stretches[stretches.count - 1].words.append(word)
                stretches[stretches.count - 1].box = last.box.union(box)
            } else {
                stretches.append(Stretch(words: [word], box: box))
            }
        }
    }

    /// Sorts words from left to right, or from right to left in a row written mostly that way, where left-to-right
    /// words (numbers, names) keep their relative order.
    private static func inReadingOrder(_ row: [Int], _ words: [PageWord]) -> [Int] {
        let ascending = row.sorted { (words[$0].box.left, $0) < (words[$1].box.left, $1) }
        let rightToLeft = row.reduce(0) { $0 + (words[$1].isRightToLeft ? words[$1].shown.count : 0) }
        guard rightToLeft * 2 > row.reduce(0, { $0 + words[$1].shown.count }) else { return ascending }
        var result: [Int] = []
        var leftToRight: [Int] = []
        for word in ascending.reversed() {
            if words[word].isRightToLeft {
                result += leftToRight.reversed()
                leftToRight = []
                result.append(word)
            } else {
                leftToRight.append(word)
            }
        }
        return result + leftToRight.reversed()
    }
}

extension Rect {
    /// Whether two boxes are in one row: side by side, or the smaller one raised or lowered next to the other.
    fileprivate func isLevel(with other: Rect) -> Bool {
        let shared = sharedHeight(other)
        if shared > 0.5 { return true }
        let small = min(height, other.height) < max(height, other.height) * 0.82
        return small && shared > 0.2 && max(left - other.right, other.left - right) < max(height, other.height)
    }

    /// Whether two boxes overlap horizontally by more than half a point.
    func overlapsAcross(_ other: Rect) -> Bool { min(right, other.right) - max(left, other.left) > 0.5 }
}

/// Returns the weighted median; 10 if there are no values.
func weightedMedian(_ values: [(value: Double, weight: Int)]) -> Double { weightedQuantile(values, 0.5) }

/// Returns the weighted quantile for a fraction from 0 to 1; 10 if there are no values.
func weightedQuantile(_ values: [(value: Double, weight: Int)], _ part: Double) -> Double {
    let sorted = values.sorted { $0.value < $1.value }
    var left = Int(Double(sorted.reduce(0) { $0 + $1.weight }) * part)
    for (value, weight) in sorted {
        if left < weight { return value }
        left -= weight
    }
    return sorted.last?.value ?? 10
}
