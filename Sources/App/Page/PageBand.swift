import Annotations

/// Words at the same height of the page, with white above and below them all the way across.
struct PageBand {
    var words: [Int]
    var box: Rect

    /// Cuts a region into bands, from the top down. Only the middle of a word's box counts, since the boxes of
    /// tightly set lines touch.
    static func bands(of region: [Int], in words: [PageWord]) -> [PageBand] {
        var bands: [PageBand] = []
        var lowest = -Double.infinity
        for word in region.sorted(by: { words[$0].coreTop < words[$1].coreTop }) {
            let box = words[word].box
            if words[word].coreTop < lowest, !bands.isEmpty {
                bands[bands.count - 1].words.append(word)
                bands[bands.count - 1].box = bands[bands.count - 1].box.union(box)
            } else {
                bands.append(PageBand(words: [word], box: box))
            }
            lowest = max(lowest, words[word].coreBottom)
        }
        return bands
    }

    /// The stretches at least `width` wide that the band leaves free between `left` and `right`, from left to right.
    func gutters(in words: [PageWord], left: Double, right: Double, width: Double) -> [ReadingOrder.Gutter] {
        var free: [ReadingOrder.Gutter] = []
        var reached = left
        for word in self.words.sorted(by: { words[$0].box.left < words[$1].box.left }) {
            let box = words[word].box
            if box.left - reached >= width { free.append(.init(left: reached, right: box.left)) }
            reached = max(reached, box.right)
        }
        if right - reached >= width { free.append(.init(left: reached, right: right)) }
        return free
    }

    /// About how many rows of text the band holds: more than one where columns do not stand level.
    func rows(height: Double) -> Int { max(1, Int((box.height / (height * 1.3)).rounded())) }
}

extension PageWord {
    var coreTop: Double { box.top + box.height * 0.3 }
    var coreBottom: Double { box.bottom - box.height * 0.3 }
}

/// What several sets of gutters leave free together.
func sharedGutters(
    _ some: [ReadingOrder.Gutter], _ others: [ReadingOrder.Gutter], width: Double
) -> [ReadingOrder.Gutter] {
    var shared: [ReadingOrder.Gutter] = []
    var first = 0
    var second = 0
    while first < some.count, second < others.count {
        let both = some[first].shared(others[second])
        if both.width >= width { shared.append(both) }
        if some[first].right < others[second].right { first += 1 } else { second += 1 }
    }
    return shared
}
