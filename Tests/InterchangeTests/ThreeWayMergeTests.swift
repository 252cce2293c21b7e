import Annotations
import Interchange
import Merging
import TestSupport
import Testing

/// Random edits on three copies, judged by a model that knows what each copy did.
@Suite("Three-way merges")
struct ThreeWayMergeTests {
    /// A record whose text is three words that may change, between words that never do, and a colour.
    private struct Model: Equatable {
        var slots: [String]
        var color: String
        var record: (Record.ID) -> Record {
            { RecordMergeTests.note($0, "a \(slots[0]) b \(slots[1]) c \(slots[2]) d", color: color) }
        }
        static func == (one: Model, other: Model) -> Bool { one.slots == other.slots && one.color == other.color }
    }

    private typealias Copy = [String: Model]

    private static func records(_ copy: Copy) -> [Record] { copy.sorted { $0.key < $1.key }.map { $1.record($0) } }

    private static func edited(_ base: Copy, side: String, _ random: inout SeededRandom) -> Copy {
        var copy = base
        for id in base.keys.sorted() where random.chance(1, of: 2) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: copy[id] = nil
            case 1: copy[id]?.color = random.pick(["#ff0000", "#00ff00"])
            // Both sides may choose the same word.
            case let slot: copy[id]?.slots[slot - 2] = random.pick([side, "both"])
            }
        }
        for number in 0..<Int.random(in: 0...3, using: &random) {
            copy["\(side)\(number)"] = Model(slots: [side, "new", "x"], color: "#000000")
        }
        if random.chance(1, of: 3) { copy["shared"] = Model(slots: ["s", "s", "s"], color: "#123456") }
        return copy
    }

    /// The oracle: decides each slot by itself.
    private static func expected(_ base: Model?, _ mine: Model?, _ theirs: Model?) -> (Model?, isDisputed: Bool) {
        guard let base else { return (mine ?? theirs, false) }
        guard let mine, let theirs else {
            let left = mine ?? theirs
            return left == nil || left == base ? (nil, false) : (left, true)
        }
        var (result, isDisputed) = (mine, false)
        func choose(_ was: String, _ one: String, _ other: String) -> String {
            if one == other || other == was { return one }
            if one == was { return other }
            isDisputed = true
            return one
        }
        let color = choose(base.color, mine.color, theirs.color)
        let slots = (0..<3).map { choose(base.slots[$0], mine.slots[$0], theirs.slots[$0]) }
        // A text with a disputed word is mine as a whole.
        let isTextDisputed = (0..<3).contains {
            mine.slots[$0] != theirs.slots[$0] && mine.slots[$0] != base.slots[$0]
                && theirs.slots[$0] != base.slots[$0]
        }
        result.color = color
        result.slots = isTextDisputed ? mine.slots : slots
        return (result, isDisputed)
    }

    @Test(arguments: 0..<200)
    func theResultIsTheUnion(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var base: Copy = [:]
        for number in 0..<Int.random(in: 0...20, using: &random) {
            base["base\(number)"] = Model(slots: ["1", "2", "3"], color: "#ffff00")
        }
        let mine = Self.edited(base, side: "mine", &random)
        let theirs = Self.edited(base, side: "theirs", &random)
        let (was, my, their) = (Self.records(base), Self.records(mine), Self.records(theirs))
        let merge = ThreeWayMerge(base: was, mine: my, theirs: their)

        var (union, disputed): (Copy, Set<String>) = ([:], [])
        for id in Set(base.keys).union(mine.keys).union(theirs.keys) {
            let (model, isDisputed) = Self.expected(base[id], mine[id], theirs[id])
            union[id] = model
            if isDisputed { disputed.insert(id) }
        }
        #expect(merge.records.sorted { $0.id < $1.id } == Self.records(union), "seed \(seed)")
        #expect(Set(merge.conflicts.map(\.id)) == disputed, "seed \(seed)")
        // A conflict names all versions.
        for item in merge.conflicts {
            #expect(item.base == base[item.id]?.record(item.id) && item.mine == mine[item.id]?.record(item.id))
            #expect(item.theirs == theirs[item.id]?.record(item.id))
        }

        let swapped = ThreeWayMerge(base: was, mine: their, theirs: my)
        #expect(Set(swapped.conflicts.map(\.id)) == disputed, "seed \(seed), swapped")
        let calm = { (merge: ThreeWayMerge) in
            merge.items.filter { $0.outcome != .conflict }.compactMap(\.result).sorted { $0.id < $1.id }
        }
        #expect(calm(swapped) == calm(merge), "seed \(seed), swapped")

        let again = ThreeWayMerge(base: was, mine: merge.records, theirs: their)
        #expect(again.records.sorted { $0.id < $1.id } == Self.records(union), "seed \(seed), again")
    }
}
