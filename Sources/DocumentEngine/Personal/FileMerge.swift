import Annotations
import FileCore
import Interchange
import Merging

/// The merge of a file that another program has changed with the layer of its records: what the layer must change so that
/// nothing of either side is lost.
struct FileMerge {
    /// The records that the layer must get, and those that it must lose.
    private(set) var puts: [Record] = []
    private(set) var removals: [Record.ID] = []
    /// The records that then differ from the file, and those that did before.
    private(set) var rows: [ByteOrdered: OwnFileState.Row] = [:]
    private(set) var conflicts: [ByteOrdered: OwnFileState.Conflict] = [:]
    /// The records without a place in the file's present text.
    private(set) var lost: [ByteOrdered: LostMark] = [:]

    /// - Parameters:
    ///   - base: the records as the file had them when it was last read or written, by the ids of the layer.
    ///   - mine: the layer's records.
    ///   - file: the file's records now, by their numbers in it.
    ///   - sharesIDs: whether the file continues the one that gave the layer its ids.
    ///   - reanchoring: from the text that the file had to the one that it has; nil if it has the same.
    init(
        base: [Record], mine: [Record], file: [Record], state: OwnFileState, sharesIDs: Bool, pages: [PageFrame],
        reanchoring: Reanchoring? = nil
    ) {
        guard let reanchoring else {
            self.init(
                base: base, mine: mine, theirs: Self.named(file, like: base, sharesIDs: sharesIDs, pages),
                present: mine, state: state)
            keepLost(state.lost)
            return
        }
        let was = reanchoring.move(base, lost: state.lost)
        let now = reanchoring.move(mine, lost: state.lost)
        let places = Dictionary(was.records.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        let theirs = Self.named(file, like: was.records, sharesIDs: sharesIDs, isMoved: true, pages).map { record in
            places[ByteOrdered(record.id)].map(record.atPlace(of:)) ?? record
        }
        let found = Set(theirs.map { ByteOrdered($0.id) })
        // A program that typesets the document anew drops its annotations. That is not a deletion. What another document
        // lacks belongs to the old one, which still has it.
        let kept = reanchoring.isOtherDocument ? Self.unwritten(mine, state) : nil
        let known = was.records.filter { record in
            let id = ByteOrdered(record.id)
            return found.contains(id) || record.contentType == .formFields || Annotation(record).isHidden
                || kept.map { !$0.contains(id) } ?? false
        }
        var state = state
        state.conflicts = state.conflicts.mapValues { conflict in
            func moved(_ record: Record?) -> Record? {
                record.flatMap { reanchoring.move([$0], lost: state.lost).records.first }
            }
            return OwnFileState.Conflict(
                base: moved(conflict.base), mine: moved(conflict.mine), theirs: moved(conflict.theirs))
        }
        self.init(base: known, mine: now.records, theirs: theirs, present: mine, before: base, state: state)
        keepLost(now.lost.filter { !found.contains($0.key) })
    }

    /// Returns the ids of the records that the file did not have as the layer has them, and of those that they answer.
    private static func unwritten(_ mine: [Record], _ state: OwnFileState) -> Set<ByteOrdered> {
        let records = Dictionary(mine.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        var ids = Set(state.rows.filter { !$0.value.isWritten }.keys).union(state.conflicts.keys)
        var new = ids
        while !new.isEmpty {
            new = Set(new.flatMap { records[$0]?.content.targets ?? [] }).subtracting(ids)
            ids.formUnion(new)
        }
        return ids
    }

    /// Keeps those that are where they were.
    private mutating func keepLost(_ marks: [ByteOrdered: LostMark]) {
        lost = marks.filter { rows[$0.key]?.mine.map($0.value.isStill) ?? false }
    }

    /// Nothing to change yet.
    init() {}

    /// - Parameters:
    ///   - theirs: the file's records, by the ids of the layer.
    ///   - present: what the layer has now, if it does not have `mine` yet.
    ///   - before: what the file had, as the layer knows it, if `base` is not that; nil: it is.
    init(
        base: [Record], mine: [Record], theirs: [Record], present: [Record], before: [Record]? = nil,
        state: OwnFileState
    ) {
        let now = Dictionary(present.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        let old = before.map { Dictionary($0.map { (ByteOrdered($0.id), $0) }) { first, _ in first } }
        let merge = ThreeWayMerge(base: base, mine: mine, theirs: theirs)
        for item in merge.items {
            let id = ByteOrdered(item.id)
            let touched = state.rows[id] != nil
            let result = item.result
            let dispute = state.conflicts[id]
            if item.outcome == .conflict {
                conflicts[id] = OwnFileState.Conflict(
                    base: dispute?.base ?? item.base, mine: item.mine, theirs: item.theirs)
            } else if var dispute,
                !Self.areSame(result, item.theirs) || (dispute.mine == nil && item.theirs != nil)
            {
                // The person has not decided yet, also if the file has changed in something else since. A deletion is in
                // dispute while the layer shows the file's version.
                if !Self.areSame(item.theirs, item.base) { dispute.theirs = item.theirs }
                conflicts[id] = dispute
            }
            if !Self.areSame(result, now[id]) { choose(result, for: item.id) }
            if touched || conflicts[id] != nil || !Self.areSame(result, item.mine)
                || !Self.areSame(item.theirs, item.base) || !Self.areSame(result, item.theirs)
                || old.map({ !Self.areSame(item.theirs, $0[id]) || !Self.areSame(result, now[id]) }) ?? false
            {
                rows[id] = OwnFileState.Row(base: item.theirs, mine: result)
            }
        }
        for (id, row) in state.rows where rows[id] == nil && row.isWritten { rows[id] = row }
        // What the text change and the person have both removed, too: the layer's first version still has it.
        if let old {
            let left = Set(merge.items.map { ByteOrdered($0.id) })
            for id in old.keys where !left.contains(id) { rows[id] = OwnFileState.Row() }
        }
        // Replies find what they answer when the file is taken in anew.
        let answered = Set(rows.values.flatMap { $0.mine?.content.targets ?? [] })
        for item in merge.items where answered.contains(ByteOrdered(item.id)) && rows[ByteOrdered(item.id)] == nil {
            rows[ByteOrdered(item.id)] = OwnFileState.Row(base: item.theirs, mine: item.result)
        }
        // A comment is put under an annotation that is already there.
        puts = puts.filter { $0.contentType != .comments } + puts.filter { $0.contentType == .comments }
    }

    var isEmpty: Bool { puts.isEmpty && removals.isEmpty }

    /// Gives the layer this version of a record; nil: none.
    mutating func choose(_ version: Record?, for id: Record.ID) {
        if let version { puts.append(version) } else { removals.append(id) }
    }

    private static func areSame(_ one: Record?, _ other: Record?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?): one.isSame(as: other)
        default: false
        }
    }

    /// Returns the records of a file under the ids that they have in `known`.
    ///
    /// - Parameter isMoved: whether the places of `known` were found by their words.
    static func named(
        _ file: [Record], like known: [Record], sharesIDs: Bool, isMoved: Bool = false, _ pages: [PageFrame]
    ) -> [Record] {
        let matching = RecordMatching(
            of: DocumentReading(file.filter { $0.contentType != .formFields }, from: .pdf, sharesIDs: sharesIDs),
            in: DocumentReading(
                known.filter { $0.contentType != .formFields }, from: .records, isAligned: isMoved), pages: pages)
        return matching.records + values(file, like: known)
    }

    /// The value of a form field is known by the name of the field; a field with several widgets has one for each.
    private static func values(_ file: [Record], like known: [Record]) -> [Record] {
        var ids: [ByteOrdered: [Record.ID]] = [:]
        for record in known.reversed() where record.contentType == .formFields {
            ids[ByteOrdered(record.content["name"]?.string ?? ""), default: []].append(record.id)
        }
        return file.filter { $0.contentType == .formFields }.map { record in
            guard let id = ids[ByteOrdered(record.content["name"]?.string ?? "")]?.popLast() else { return record }
            return Record(id: id, content: record.content)
        }
    }
}
