import Annotations

/// An empty stretch of the page's width.
struct Gutter: Equatable {
    var left: Double
    var right: Double
    var width: Double { right - left }

    func shared(_ other: Gutter) -> Gutter {
        Gutter(left: max(left, other.left), right: min(right, other.right))
    }

    /// Whether `reach` extends beyond it on both sides.
    func isInner(of reach: Rect) -> Bool { left > reach.left && right < reach.right }
}

/// Words at the same height of the page, with white space above and below across the whole region.
struct PageBand {
    var words: [Int]
    var box: Rect
    /// The free parts of its region's width, including margins, from left to right.
    var free: [Gutter] = []

    /// Cuts a region into bands, from top to bottom. Only the centre of a word's box counts, because boxes of tightly
    /// set lines touch.
    /// - Parameter gutter: minimum width of a free part; nil to skip these.
    static func bands(of region: [Int], in words: [PageWord], gutter: Double? = nil) -> [PageBand] {
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
        if let gutter {
            let reach = Rect.around(bands.lazy.map(\.box))
            for index in bands.indices {
                bands[index].free = bands[index].gutters(in: words, within: reach, width: gutter)
            }
        }
        return bands
    }

    private func gutters(in words: [PageWord], within reach: Rect, width: Double) -> [Gutter] {
        var free: [Gutter] = []
        var reached = reach.left
        for word in self.words.sorted(by: { words[$0].box.left < words[$1].box.left }) {
            let box = words[word].box
            if box.left - reached >= width { free.append(Gutter(left: reached, right: box.left)) }
            reached = max(reached, box.right)
        }
        if reach.right - reached >= width { free.append(Gutter(left: reached, right: reach.right)) }
        return free
    }

    /// The approximate number of text rows; more than one where columns are not level.
    func rows(height: Double) -> Int { max(1, Int(saturating: (box.height / (height * 1.3)).rounded())) }

    /// The number of cells between its inner gutters.
    var cells: Int { free.count { $0.isInner(of: box) } + 1 }
}

extension PageWord {
    var coreTop: Double { box.top + box.height * 0.3 }
    var coreBottom: Double { box.bottom - box.height * 0.3 }
}
