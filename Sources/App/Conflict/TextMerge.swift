import Screen

/// A merge of two versions of a text, line by line (as diff3 does): what only one side changed is taken from it, what
/// both changed differently stands between marker lines that name the sides.
enum TextMerge {
    private static let (start, middle, end) = ("<<<<<<< ", "=======", ">>>>>>> ")
    /// Longer texts are merged as one piece: comparing takes the product of the lengths.
    private static let maxLines = 1_000

    /// - Parameter base: The common version; nil if there is none: then what both have is.
    static func merged(base: String?, theirs: String, mine: String, theirName: String) -> String {
        func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        let (their, my) = (lines(theirs), lines(mine))
        guard base != nil || max(their.count, my.count) <= maxLines else {
            return piece(their, my, theirName).joined(separator: "\n")
        }
        let old = base.map(lines) ?? Matches(their, my).common(of: their)
        guard [old.count, their.count, my.count].allSatisfy({ $0 <= maxLines }) else {
            return theirs == mine ? mine : piece(their, my, theirName).joined(separator: "\n")
        }
        let (inTheirs, inMine) = (Matches(old, their), Matches(old, my))
        var result: [Substring] = []
        var (oldStart, theirStart, myStart) = (0, 0, 0)
        while true {
            // The next line that all three have.
            let next = (oldStart..<old.count).first { index in
                (inTheirs[index] ?? -1) >= theirStart && (inMine[index] ?? -1) >= myStart
            }
            let (oldEnd, theirEnd, myEnd) = (
                next ?? old.count, next.flatMap { inTheirs[$0] } ?? their.count,
                next.flatMap { inMine[$0] } ?? my.count
            )
            let was = old[oldStart..<oldEnd]
            let (theirPart, myPart) = (their[theirStart..<theirEnd], my[myStart..<myEnd])
            if theirPart.elementsEqual(myPart) || theirPart.elementsEqual(was) {
                result += myPart
            } else if myPart.elementsEqual(was) {
                result += theirPart
            } else {
                result += piece(Array(theirPart), Array(myPart), theirName)
            }
            guard let next else { return result.joined(separator: "\n") }
            result.append(old[next])
            (oldStart, theirStart, myStart) = (next + 1, theirEnd + 1, myEnd + 1)
        }
    }

    private static func piece(_ theirs: [Substring], _ mine: [Substring], _ name: String) -> [Substring] {
        [Substring(start + "theirs: " + name)] + theirs + [Substring(middle)] + mine + [Substring(end + "yours")]
    }

    /// Whether a marker line is left in the text.
    static func hasMarkers(_ text: String) -> Bool {
        text.split(separator: "\n").contains { $0.hasPrefix(start) || $0 == middle || $0.hasPrefix(end) }
    }
}

/// The items that two sequences have in common, in order: for each index of the first, that of the second.
struct Matches {
    private var partners: [Int?]

    /// Takes the product of the lengths.
    init<Item: Equatable>(_ old: [Item], _ new: [Item]) {
        partners = Array(repeating: nil, count: old.count)
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] {
            partners[start] = start
            start += 1
        }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
            partners[oldEnd] = newEnd
        }
        let (rows, columns) = (oldEnd - start, newEnd - start)
        guard rows > 0, columns > 0 else { return }
        // The lengths of the longest common subsequences of the rests.
        var lengths = Array(repeating: 0, count: (rows + 1) * (columns + 1))
        for row in (0..<rows).reversed() {
            for column in (0..<columns).reversed() {
                let place = row * (columns + 1) + column
                lengths[place] =
                    old[start + row] == new[start + column]
                    ? lengths[place + columns + 2] + 1 : max(lengths[place + columns + 1], lengths[place + 1])
            }
        }
        var (row, column) = (0, 0)
        while row < rows, column < columns {
            let place = row * (columns + 1) + column
            if old[start + row] == new[start + column] {
                partners[start + row] = start + column
                (row, column) = (row + 1, column + 1)
            } else if lengths[place + columns + 1] >= lengths[place + 1] {
                row += 1
            } else {
                column += 1
            }
        }
    }

    subscript(index: Int) -> Int? { partners[index] }

    /// Returns the items of the first sequence that the second has too.
    func common<Item>(of old: [Item]) -> [Item] { old.indices.filter { partners[$0] != nil }.map { old[$0] } }

    var values: Set<Int> { Set(partners.compactMap(\.self)) }
}
