import Annotations

/// Finds the words of one edition of a text in another one, in order: passages that both have, and between them what is
/// left, as far as that is short.
struct WordAlignment {
    /// For each word of the old text, its place in the new one.
    private(set) var partners: [Int?]

    private let old: [ByteOrdered]
    private let new: [ByteOrdered]
    /// Comparing takes the product of the lengths.
    private static let maxProduct = 250_000
    /// Numbers of words that must be unique together. Long passages are found first.
    private static let lengths = [5, 3, 1]

    init(_ old: [String], _ new: [String]) {
        self.old = old.map(ByteOrdered.init)
        self.new = new.map(ByteOrdered.init)
        partners = Array(repeating: nil, count: old.count)
        var waiting = [(old: 0..<old.count, new: 0..<new.count, level: 0)]
        while let (one, other, level) = waiting.popLast() {
            guard !one.isEmpty, !other.isEmpty else { continue }
            guard level < Self.lengths.count else {
                matchRest(one, other)
                continue
            }
            // The parts between what was found are compared in smaller pieces.
            var (start, otherStart) = (one.lowerBound, other.lowerBound)
            for (place, partner) in anchors(one, other, of: Self.lengths[level]) where place >= start {
                guard partner >= otherStart else { continue }
                var (first, firstPartner) = (place, partner)
                while first > start, firstPartner > otherStart, self.old[first - 1] == self.new[firstPartner - 1] {
                    (first, firstPartner) = (first - 1, firstPartner - 1)
                }
                waiting.append((start..<first, otherStart..<firstPartner, level + 1))
                (start, otherStart) = (first, firstPartner)
                while start < one.upperBound, otherStart < other.upperBound, self.old[start] == self.new[otherStart] {
                    partners[start] = otherStart
                    (start, otherStart) = (start + 1, otherStart + 1)
                }
            }
            waiting.append((start..<one.upperBound, otherStart..<other.upperBound, level + 1))
        }
    }

    /// The share of the words that both have, of the shorter text.
    var share: Double {
        let shorter = min(old.count, new.count)
        return shorter == 0 ? 1 : Double(partners.count { $0 != nil }) / Double(shorter)
    }

    /// Returns where passages begin that each text has once, in the order of both.
    private func anchors(_ one: Range<Int>, _ other: Range<Int>, of length: Int) -> [(Int, Int)] {
        func unique(_ words: [ByteOrdered], _ range: Range<Int>) -> [ArraySlice<ByteOrdered>: Int?] {
            var places: [ArraySlice<ByteOrdered>: Int?] = [:]
            guard range.count >= length else { return [:] }
            for place in range.lowerBound...range.upperBound - length {
                let passage = words[place..<place + length]
                places[passage] = places[passage] == nil ? .some(place) : .some(nil)
            }
            return places
        }
        let theirs = unique(new, other)
        let pairs = unique(old, one).compactMap { passage, place -> (Int, Int)? in
            guard let place, let partner = theirs[passage] ?? nil else { return nil }
            return (place, partner)
        }
        return Self.increasing(pairs.sorted { $0.0 < $1.0 })
    }

    /// Returns the longest sequence of pairs in which both numbers increase.
    private static func increasing(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
        // The pairs with which sequences of each length end, with the lowest end.
        var (ends, before): ([Int], [Int?]) = ([], [])
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
            }
            before.append(low > 0 ? ends[low - 1] : nil)
            if low < ends.count { ends[low] = index } else { ends.append(index) }
        }
        var result: [(Int, Int)] = []
        var next = ends.last
        while let index = next {
            result.append(pairs[index])
            next = before[index]
        }
        return result.reversed()
    }

    private mutating func matchRest(_ one: Range<Int>, _ other: Range<Int>) {
        guard one.count * other.count <= Self.maxProduct else { return }
        let matches = Matches(Array(old[one]), Array(new[other]))
        for offset in 0..<one.count {
            if let partner = matches[offset] { partners[one.lowerBound + offset] = other.lowerBound + partner }
        }
    }
}
