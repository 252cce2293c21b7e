import Annotations

/// Finds the words of one edition of a text in another one: passages that both have in the same order, then passages that
/// were moved, and between them what is left, as far as that is short.
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
        var rest: [(old: Range<Int>, new: Range<Int>)] = []
        while let (one, other, level) = waiting.popLast() {
            guard !one.isEmpty, !other.isEmpty else { continue }
            guard level < Self.lengths.count else {
                rest.append((one, other))
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
        var taken = Set(partners.compactMap { $0 })
        matchMoved(&taken)
        for (one, other) in rest { matchRest(one, other, taken) }
    }

    /// The share of the words that both have, of the shorter text.
    var share: Double {
        let shorter = min(old.count, new.count)
        return shorter == 0 ? 1 : Double(partners.count { $0 != nil }) / Double(shorter)
    }

    /// The share of the words that stand in both in passages of at least three words, of the shorter text. Texts about
    /// different things have common words in the same order, but seldom three in a row.
    var shareOfPassages: Double {
        let shorter = min(old.count, new.count)
        guard shorter >= Self.passage else { return share }
        var (held, run) = (0, 0)
        for place in partners.indices {
            if let partner = partners[place], run > 0, partners[place - 1] == partner - 1 {
                run += 1
            } else {
                run = partners[place] == nil ? 0 : 1
            }
            if run == Self.passage { held += run } else if run > Self.passage { held += 1 }
        }
        return Double(held) / Double(shorter)
    }

    private static let passage = 3

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

    /// Finds passages that stand elsewhere in the new text: each once among what is left of both.
    private mutating func matchMoved(_ taken: inout Set<Int>) {
        let length = Self.lengths[0]
        func places(_ words: [ByteOrdered], _ isFree: (Int) -> Bool) -> [ArraySlice<ByteOrdered>: Int?] {
            var (places, run): ([ArraySlice<ByteOrdered>: Int?], Int) = ([:], 0)
            for end in words.indices {
                run = isFree(end) ? run + 1 : 0
                guard run >= length else { continue }
                let passage = words[(end + 1 - length)...end]
                places[passage] = places[passage] == nil ? .some(end + 1 - length) : .some(nil)
            }
            return places
        }
        let theirs = places(new) { !taken.contains($0) }
        guard !theirs.isEmpty else { return }
        let pairs = places(old) { partners[$0] == nil }.compactMap { passage, place -> (Int, Int)? in
            guard let place, let partner = theirs[passage] ?? nil else { return nil }
            return (place, partner)
        }
        for (place, partner) in pairs.sorted(by: { $0.0 < $1.0 }) {
            // An earlier passage may have grown into this one.
            guard (0..<length).allSatisfy({ partners[place + $0] == nil && !taken.contains(partner + $0) }) else {
                continue
            }
            var (first, firstPartner) = (place, partner)
            while first > 0, firstPartner > 0, partners[first - 1] == nil, !taken.contains(firstPartner - 1),
                old[first - 1] == new[firstPartner - 1]
            {
                (first, firstPartner) = (first - 1, firstPartner - 1)
            }
            while first < old.count, firstPartner < new.count, partners[first] == nil, !taken.contains(firstPartner),
                old[first] == new[firstPartner]
            {
                partners[first] = firstPartner
                taken.insert(firstPartner)
                (first, firstPartner) = (first + 1, firstPartner + 1)
            }
        }
    }

    private mutating func matchRest(_ one: Range<Int>, _ other: Range<Int>, _ taken: Set<Int>) {
        let one = one.filter { partners[$0] == nil }
        let other = other.filter { !taken.contains($0) }
        guard one.count * other.count <= Self.maxProduct else { return }
        let matches = Matches(one.map { old[$0] }, other.map { new[$0] })
        for offset in one.indices {
            if let partner = matches[offset] { partners[one[offset]] = other[partner] }
        }
    }
}
