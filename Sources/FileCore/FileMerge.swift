import Annotations
import Merging

/// The merge of a file that another program has changed with the layer of its records: what the layer must change so that
/// nothing of either side is lost.
struct FileMerge {
    typealias Row = LocalFileState.Row
    typealias Conflict = LocalFileState.Conflict

    /// The rows that are others than before.
    private(set) var rows: [ByteOrdered: Row] = [:]
    /// All conflicts.
    private(set) var conflicts: [ByteOrdered: Conflict] = [:]
    /// The records without a place in the file's present text.
    private(set) var lost: [ByteOrdered: LostMark] = [:]
    private(set) var news = FileNews()
    private let known: [ByteOrdered: Row]
    private let state: LocalFileState
    /// The names that annotations have in the file. What this program makes has its id as its name; what looks the same and
    /// has none may be older.
    private let names: Set<ByteOrdered>
    private static let days = 30

    init(_ reading: FileReading, _ state: LocalFileState, by policy: any RecordComparing) {
        self.state = state
        names = Set(reading.records.compactMap { $0.content["name"]?.string }.map(ByteOrdered.init))
        known = reading.synced.merging(state.rows) { $1 }
        let base = Self.sorted(known.values.compactMap(\.base))
        let local = Self.sorted(known.values.compactMap(\.local))
        // A name says which record it is; a number may be given again.
        let numbers = Set(known.keys.filter { Int($0.text) != nil })
        let taken = numbers.filter { known[$0]?.base != nil || known[$0]?.local != nil }
        lost = state.lost
        // What an earlier text of the file had comes back with it.
        let unwritten = Self.sorted(known.values.compactMap { $0.base == nil ? $0.local : nil })
        let overwritten = Self.sorted(
            known.values.compactMap { row in
                row.base == nil && row.local == nil ? row.written?.before.compactMap { $0 }.last : nil
            })
        switch reading.origin {
        case .continues:
            let theirs = FileNames.named(
                reading.records, like: base + overwritten, by: policy, sharesIDs: state.sharesIDs, taken: taken)
            merge(base: base, local: local, theirs: theirs, isDamaged: reading.isDamaged)
        case .continuesEarlier(let ancestor):
            let all = Self.together(base, local)
            // An unknown record counts as deleted only if its own name identifies it. Otherwise it may be a known record that
            // was not recognized.
            let known = all + overwritten
            let was = FileNames.named(ancestor, like: known, by: policy, sharesIDs: state.sharesIDs, taken: taken)
                .filter { self.known[ByteOrdered($0.id)] != nil || ($0.content["name"]?.string).isExactly($0.id) }
            let theirs = FileNames.named(
                reading.records, like: Self.together(was, known), by: policy, sharesIDs: state.sharesIDs, taken: taken)
            // A record that the file has in a later known state is not a change either.
            let found = Dictionary(theirs.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
            let old = base.filter { found[ByteOrdered($0.id)].isSame(as: $0) }
            merge(
                base: Self.together(old, was), local: local, theirs: theirs, before: base, isDamaged: reading.isDamaged)
        case .anew(nil):
            let theirs = FileNames.named(
                reading.records, like: base + unwritten + overwritten, by: policy, sharesIDs: false,
                taken: numbers)
            merge(
                base: base, local: local, theirs: theirs, unseenAfter: lastSeen(in: theirs, base),
                isDamaged: reading.isDamaged)
        case .anew(let moves?):
            merge(base, local, unwritten + overwritten, reading, moves, policy, numbers)
        }
    }

    /// Merges a file whose text has moved.
    private mutating func merge(
        _ base: [Record], _ local: [Record], _ others: [Record], _ reading: FileReading, _ moves: any WordMoves,
        _ policy: any RecordComparing, _ taken: Set<ByteOrdered>
    ) {
        let was = moves.move(base, lost: state.lost)
        let now = moves.move(local, lost: state.lost)
        let known = was.records + moves.move(others, lost: state.lost).records
        let theirs = FileNames.named(
            reading.records, like: known, by: policy, sharesIDs: false, isMoved: true, taken: taken)
        let found = Set(theirs.map { ByteOrdered($0.id) })
        // A program that typesets the document anew drops its annotations. That is not a deletion. What another document
        // lacks belongs to the old one, which still has it.
        let kept = moves.isOtherDocument ? belonging(local) : nil
        let present = was.records.filter { record in
            let id = ByteOrdered(record.id)
            return found.contains(id) || record.contentType == .formFields || Annotation(record).isHidden
                || kept.map { !$0.contains(id) } ?? false
        }
        merge(
            base: present, local: now.records, theirs: theirs, before: base, moving: moves,
            unseenAfter: lastSeen(in: theirs, was.records, moves))
        lost = now.lost.filter { mark in
            !found.contains(mark.key)
                && (rows[mark.key] ?? self.known[mark.key])?.local.map(mark.value.isStill) ?? false
        }
    }

    /// - Parameters:
    ///   - local: the layer's records, at the places that they get.
    ///   - theirs: the file's records, by the ids of the layer.
    ///   - before: what the file had, as the layer knows it, if `base` is not that.
    ///   - unseenAfter: the number of the last write that the file shows. What was written later is not known there. nil:
    ///     the file shows where it comes from.
    ///   - isDamaged: whether what the file lacks may only be missing for now.
    private mutating func merge(
        base: [Record], local: [Record], theirs: [Record], before: [Record]? = nil,
        moving moves: (any WordMoves)? = nil,
        unseenAfter: Int64? = nil, isDamaged: Bool = false
    ) {
        let merge = ThreeWayMerge(base: base, mine: local, theirs: theirs)
        let returned = unseenAfter == nil ? 0 : lastReturned(in: theirs)
        for item in merge.items {
            let id = ByteOrdered(item.id)
            let old = known[id]
            var result = item.result
            let isCutOff = isDamaged && item.theirs == nil && item.base != nil
            let isUnseen =
                !item.mine.isSame(as: item.theirs)
                && (isCutOff || isGone(item, old?.written, upTo: returned)
                    || self.isUnseen(item, old?.written, after: unseenAfter, isMoved: moves != nil))
            if isUnseen { result = item.mine ?? item.theirs }
            settle(item, id, result, isUnseen: isUnseen, isCutOff: isCutOff, moves)
            // Also what is the same now: the layer may have it from another version of the file.
            let row = Row(base: item.theirs, local: result, written: written(item.theirs, old))
            if row != old { rows[id] = row }
            count(old, row, id)
        }
        let left = Set(merge.items.map { ByteOrdered($0.id) })
        for (id, dispute) in state.conflicts where !left.contains(id) {
            var others = dispute.others
            guard !others.isEmpty else { continue }
            let remote = others.removeFirst()
            conflicts[id] = Conflict(base: dispute.base, local: nil, remote: remote, further: others)
        }
        guard let before else { return }
        // What the person has removed, and the new text or the old version does not have either.
        for record in before where !left.contains(ByteOrdered(record.id)) {
            let id = ByteOrdered(record.id)
            rows[id] = Row(base: nil, local: nil, written: written(nil, known[id]))
        }
    }

    /// Whether a program has dropped a record that the engine has written, after another program had lost it. The layer was
    /// about to write it again.
    private func isGone(
        _ item: ThreeWayMerge.Item, _ written: LocalFileState.Written?, upTo number: Int64
    ) -> Bool {
        guard item.base == nil, item.theirs == nil, let written, written.number > 0 else { return false }
        return written.number <= number && written.before.contains { $0.isSame(as: item.mine) }
    }

    /// Whether a file that was written anew shows another version of a record than the engine has written, and the program
    /// may never have seen that one.
    private func isUnseen(
        _ item: ThreeWayMerge.Item, _ written: LocalFileState.Written?, after number: Int64?, isMoved: Bool
    ) -> Bool {
        guard let written else { return false }
        // What was deleted comes back as it was: the program may have seen a version that was in place for a moment, or one
        // from before the file lost it.
        if item.base == nil, item.mine == nil,
            written.before.contains(where: { Self.isSame($0, item.theirs, isMoved: isMoved) })
        {
            return true
        }
        guard written.number > 0 else { return false }
        guard let number, written.number > number else { return false }
        return !item.theirs.isSame(as: item.base) || written.before.contains { $0.isSame(as: item.mine) }
    }

    /// - Parameter isMoved: whether the text has moved, so that the place says nothing.
    private static func isSame(_ one: Record?, _ other: Record?, isMoved: Bool) -> Bool {
        guard isMoved, let one, let other else { return one.isSame(as: other) }
        var moved = one
        moved.content = one.content.changing { object in
            for key in Content.placeMembers { object[key] = other.content[key] }
        }
        return moved.isSame(as: other)
    }

    private mutating func settle(
        _ item: ThreeWayMerge.Item, _ id: ByteOrdered, _ result: Record?, isUnseen: Bool, isCutOff: Bool,
        _ moves: (any WordMoves)?
    ) {
        func moved(_ record: Record?) -> Record? {
            guard let moves, let record else { return record }
            return moves.move([record], lost: state.lost).records.first
        }
        let dispute = state.conflicts[id]
        if isUnseen {
            let before = known[id]?.written?.before.compactMap { $0 }.last
            conflicts[id] = Conflict(
                base: dispute?.base ?? before, local: item.mine, remote: item.theirs, daysLeft: Self.days,
                further: dispute.map { isCutOff ? $0.others : further($0, item) } ?? [])
        } else if item.outcome == .conflict {
            conflicts[id] = Conflict(
                base: dispute.map { moved($0.base) } ?? item.base, local: item.mine, remote: item.theirs,
                further: dispute.map { further($0, item) } ?? [])
        } else if var dispute,
            !result.isSame(as: item.theirs) || (dispute.local == nil && item.theirs != nil) || !isSeen(dispute, item)
        {
            // The person has not decided yet, also if the file has changed in something else since. A deletion is in
            // dispute while the layer shows the file's version.
            (dispute.base, dispute.local, dispute.remote) = (
                moved(dispute.base), moved(dispute.local), moved(dispute.remote)
            )
            if !item.theirs.isSame(as: item.base) {
                dispute.further = further(dispute, item)
                dispute.remote = item.theirs
            }
            conflicts[id] = dispute
        } else if var dispute, let next = dispute.further.first {
            dispute.further.removeFirst()
            conflicts[id] = Conflict(base: dispute.base, local: result, remote: next, further: dispute.further)
        }
    }

    /// The versions of a conflict that a newer one does not replace, because its program has not seen them.
    private func further(_ dispute: Conflict, _ item: ThreeWayMerge.Item) -> [Record?] {
        isSeen(dispute, item) ? dispute.further : dispute.further + [dispute.remote]
    }

    /// Whether the version of the file that is in dispute is among those that a program or the layer has made of it.
    private func isSeen(_ dispute: Conflict, _ item: ThreeWayMerge.Item) -> Bool {
        [item.base, item.mine, item.theirs].contains { dispute.remote.isSame(as: $0) }
    }

    /// Remembers the version that the file does not have any more, if its return could be mistaken for news.
    private func written(_ theirs: Record?, _ old: Row?) -> LocalFileState.Written? {
        guard let old, !old.base.isSame(as: theirs), old.written != nil || theirs == nil else { return old?.written }
        var written = old.written ?? LocalFileState.Written(number: 0, before: [])
        written.add(old.base)
        // What another program has made of it does not show that a program has seen a later write.
        if theirs != nil, !written.before.contains(where: { $0.isSame(as: theirs) }) { written.add(theirs) }
        // A program that has seen only what was written up to now has not seen it: the file did not have it.
        if old.base == nil, theirs != nil, written.number > 0 { written.number = state.writes + 1 }
        return written
    }

    private mutating func count(_ old: Row?, _ new: Row, _ id: ByteOrdered) {
        if conflicts[id] != nil, state.conflicts[id] == nil { news.conflicts += 1 }
        guard !new.local.isSame(as: old?.local) else { return }
        if new.local == nil {
            news.deleted += 1
        } else if old?.local == nil {
            news.added += 1
        } else {
            news.changed += 1
        }
    }

    /// Returns the number of the last write of which a file that was written anew has something: its program has seen all
    /// writes up to that one. Only what this program made counts, in a version that the file did not have before.
    private func lastSeen(in theirs: [Record], _ base: [Record], _ moves: (any WordMoves)? = nil) -> Int64 {
        let base = Dictionary(base.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        return theirs.reduce(0) { seen, record in
            guard let written = known[ByteOrdered(record.id)]?.written, written.before.first == .some(nil),
                isNamedSinceTakenIn(record), base[ByteOrdered(record.id)].isSame(as: record)
            else { return seen }
            let before = written.before.compactMap { $0 }
            let moved = moves?.move(before, lost: state.lost).records ?? []
            return (before + moved).contains { $0.isSame(as: record) } ? seen : max(seen, written.number)
        }
    }

    /// Returns the number of the last write that has come back with a file that was written anew: another program's version
    /// had not had what this program made, and the layer was about to write it again.
    private func lastReturned(in theirs: [Record]) -> Int64 {
        theirs.reduce(0) { seen, record in
            guard let row = known[ByteOrdered(record.id)], row.base == nil, let written = row.written,
                isNamedSinceTakenIn(record), written.before.first == .some(nil),
                written.before.contains(where: { $0.isSame(as: record) })
            else { return seen }
            return max(seen, written.number)
        }
    }

    /// Whether this record can only come from a file that this program has written. A record created before the file became
    /// known may also come from a version of that time, even if a person deleted it since and restored it.
    private func isNamedSinceTakenIn(_ record: Record) -> Bool {
        guard names.contains(ByteOrdered(record.id)), let takenIn = state.takenIn,
            let made = ULID.moment(of: record.id)
        else { return false }
        return made > takenIn
    }

    /// Returns the ids of the records that the file did not have as the layer has them, and of those that they answer.
    private func belonging(_ local: [Record]) -> Set<ByteOrdered> {
        let records = Dictionary(local.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        var ids = Set(state.rows.filter { !$0.value.isWritten }.keys).union(state.conflicts.keys)
        var new = ids
        while !new.isEmpty {
            new = Set(new.flatMap { records[$0]?.content.targets ?? [] }).subtracting(ids)
            ids.formUnion(new)
        }
        return ids
    }

    /// The records of both; of those in both, the first one.
    private static func together(_ one: [Record], _ other: [Record]) -> [Record] {
        let known = Set(one.map { ByteOrdered($0.id) })
        return one + other.filter { !known.contains(ByteOrdered($0.id)) }
    }

    /// An order that does not depend on the order of a dictionary; annotations before comments.
    private static func sorted(_ records: [Record]) -> [Record] {
        records.sorted { one, other in
            let (first, second) = (one.contentType == .comments, other.contentType == .comments)
            return first == second ? ByteOrdered(one.id) < ByteOrdered(other.id) : second
        }
    }
}

/// What reading a file anew has changed, for people.
package struct FileNews: Hashable, Sendable {
    /// Records that another program has created, changed or deleted.
    package var added = 0
    package var changed = 0
    package var deleted = 0
    package var conflicts = 0

    package init() {}

    mutating func add(_ other: FileNews) {
        added += other.added
        changed += other.changed
        deleted += other.deleted
        conflicts += other.conflicts
    }
}
