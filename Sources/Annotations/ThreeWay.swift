/// A merge of two versions of a sequence with the version that both come from, as diff3 does it.
package enum ThreeWay {
    package enum Piece<Item: Equatable>: Equatable {
        /// What both have, or what only one of them changed.
        case agreed([Item])
        /// What both changed, in different ways.
        case conflict(base: [Item], mine: [Item], theirs: [Item])
    }

    /// Takes the product of the lengths.
    package static func pieces<Item: Equatable>(base: [Item], mine: [Item], theirs: [Item]) -> [Piece<Item>] {
        let (inTheirs, inMine) = (Matches(base, theirs), Matches(base, mine))
        var pieces: [Piece<Item>] = []
        var agreed: [Item] = []
        var (start, theirStart, myStart) = (0, 0, 0)
        while true {
            // The next item that all three have.
            let next = (start..<base.count).first { index in
                (inTheirs[index] ?? -1) >= theirStart && (inMine[index] ?? -1) >= myStart
            }
            let (end, theirEnd, myEnd) = (
                next ?? base.count, next.flatMap { inTheirs[$0] } ?? theirs.count,
                next.flatMap { inMine[$0] } ?? mine.count
            )
            let was = base[start..<end]
            let (theirPart, myPart) = (theirs[theirStart..<theirEnd], mine[myStart..<myEnd])
            if theirPart.elementsEqual(myPart) || theirPart.elementsEqual(was) {
                agreed += myPart
            } else if myPart.elementsEqual(was) {
                agreed += theirPart
            } else {
                if !agreed.isEmpty { pieces.append(.agreed(agreed)) }
                agreed = []
                pieces.append(.conflict(base: Array(was), mine: Array(myPart), theirs: Array(theirPart)))
            }
            guard let next else { break }
            agreed.append(base[next])
            (start, theirStart, myStart) = (next + 1, theirEnd + 1, myEnd + 1)
        }
        if !agreed.isEmpty { pieces.append(.agreed(agreed)) }
        return pieces
    }
}

/// The items that two sequences have in common, in order: for each index of the first, that of the second.
package struct Matches {
    private var partners: [Int?]

    /// Takes the product of the lengths.
    package init<Item: Equatable>(_ old: [Item], _ new: [Item]) {
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

    package subscript(index: Int) -> Int? { partners[index] }

    /// Returns the items of the first sequence that the second has too.
    package func common<Item>(of old: [Item]) -> [Item] { old.indices.filter { partners[$0] != nil }.map { old[$0] } }

    package var values: Set<Int> { Set(partners.compactMap(\.self)) }
}
