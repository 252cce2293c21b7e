package import Annotations

/// A three-way merge of the records of a document: of the version that two sides come from, and those of the two sides.
/// Nothing is lost: where both sides changed a record differently, the conflict has the versions of both.
///
/// The same record must have the same id in all three, see ``RecordMatching``. Swapping the sides swaps the outcomes, and
/// a merge of the result with either side changes nothing more.
package struct ThreeWayMerge: Sendable {
    package struct Item: Sendable {
        package var id: Record.ID
        package var base: Record?
        package var mine: Record?
        package var theirs: Record?
        package var merge: RecordMerge

        package var outcome: RecordMerge.Outcome { merge.outcome }
        /// nil: deleted.
        package var result: Record? { merge.result }
    }

    /// Every record of the three, in the order of the base, followed by what is new, mine first.
    package private(set) var items: [Item] = []

    /// - Parameter knowsDeletions: whether what their side lacks was deleted there. Where it is not known, such a record
    ///   counts as unchanged.
    package init(base: [Record], mine: [Record], theirs: [Record], knowsDeletions: Bool = true) {
        func byID(_ records: [Record]) -> [ByteOrdered: Record] {
            Dictionary(records.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        }
        let (was, my, their) = (byID(base), byID(mine), byID(theirs))
        var seen: Set<ByteOrdered> = []
        for record in base + mine + theirs {
            let id = ByteOrdered(record.id)
            guard seen.insert(id).inserted else { continue }
            let other = their[id] ?? (knowsDeletions ? nil : was[id])
            items.append(
                Item(
                    id: record.id, base: was[id], mine: my[id], theirs: other,
                    merge: RecordMerge(base: was[id], mine: my[id], theirs: other)))
        }
        keepRoots()
    }

    package var records: [Record] { items.compactMap(\.result) }
    package var conflicts: [Item] { items.filter { $0.outcome == .conflict } }

    /// Keeps an annotation that one side deleted while the other side answered it.
    private mutating func keepRoots() {
        var places: [ByteOrdered: Int] = [:]
        for (place, item) in items.enumerated() { places[ByteOrdered(item.id)] = place }
        for item in items {
            guard let comment = item.result, comment.contentType == .comments,
                let root = comment.content["rootId"]?.string, let place = places[ByteOrdered(root)],
                items[place].result == nil
            else { continue }
            // Who deleted the annotation and kept its comment wanted it so.
            let kept = [items[place].mine == nil ? nil : item.mine, items[place].theirs == nil ? nil : item.theirs]
            guard kept.contains(where: { $0 != nil }),
                let record = items[place].mine ?? items[place].theirs ?? items[place].base
            else { continue }
            items[place].merge = .keeping(record)
        }
    }
}
