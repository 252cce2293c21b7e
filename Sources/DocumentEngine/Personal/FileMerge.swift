import Annotations
import Interchange

/// The merge of a file that another program has changed with the layer of its records: what the layer must change so that
/// nothing of either side is lost.
struct FileMerge {
    /// The records that the layer must get, and those that it must lose.
    private(set) var puts: [Record] = []
    private(set) var removals: [Record.ID] = []
    /// The records that then differ from the file, and those that did before.
    private(set) var rows: [ByteOrdered: OwnFileState.Row] = [:]
    private(set) var conflicts: [ByteOrdered: OwnFileState.Conflict] = [:]

    /// - Parameters:
    ///   - base: the records as the file had them when it was last read or written, by the ids of the layer.
    ///   - mine: the layer's records.
    ///   - file: the file's records now, by their numbers in it.
    ///   - sharesIDs: whether the file continues the one that gave the layer its ids.
    init(
        base: [Record], mine: [Record], file: [Record], state: OwnFileState, sharesIDs: Bool, pages: [PageFrame]
    ) {
        self.init(
            base: base, mine: mine, theirs: Self.named(file, like: base, sharesIDs: sharesIDs, pages), present: mine,
            state: state)
    }

    /// Nothing to change yet.
    init() {}

    /// - Parameters:
    ///   - theirs: the file's records, by the ids of the layer.
    ///   - present: what the layer has now, if it does not have `mine` yet.
    init(base: [Record], mine: [Record], theirs: [Record], present: [Record], state: OwnFileState) {
        let now = Dictionary(present.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        let merge = ThreeWayMerge(base: base, mine: mine, theirs: theirs)
        for item in merge.items {
            let id = ByteOrdered(item.id)
            let touched = state.rows[id] != nil
            let result = item.result
            if item.outcome == .conflict {
                conflicts[id] = OwnFileState.Conflict(base: item.base, mine: item.mine, theirs: item.theirs)
            } else if var old = state.conflicts[id], let theirs = item.theirs, old.mine == nil {
                // The layer shows the file's version until the person has decided about the deletion.
                old.theirs = theirs
                conflicts[id] = old
            } else if let old = state.conflicts[id], Self.areSame(item.theirs, item.base),
                !Self.areSame(result, item.theirs)
            {
                // The file has not changed this record again, and the person has not decided yet.
                conflicts[id] = old
            }
            if !Self.areSame(result, now[id]) { choose(result, for: item.id) }
            if touched || conflicts[id] != nil || !Self.areSame(result, item.mine)
                || !Self.areSame(item.theirs, item.base)
            {
                rows[id] = OwnFileState.Row(base: item.theirs, mine: result)
            }
        }
        for (id, row) in state.rows where rows[id] == nil && row.isWritten { rows[id] = row }
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
    static func named(_ file: [Record], like known: [Record], sharesIDs: Bool, _ pages: [PageFrame]) -> [Record] {
        let matching = RecordMatching(
            of: DocumentReading(file.filter { $0.contentType != .formFields }, from: .pdf, sharesIDs: sharesIDs),
            in: DocumentReading(known.filter { $0.contentType != .formFields }, from: .records), pages: pages)
        return matching.records + values(file, like: known)
    }

    /// The value of a form field is known by the name of the field; a field with several widgets has one for each.
    private static func values(_ file: [Record], like known: [Record]) -> [Record] {
        var ids: [String: [Record.ID]] = [:]
        for record in known.reversed() where record.contentType == .formFields {
            ids[record.content["name"]?.string ?? "", default: []].append(record.id)
        }
        return file.filter { $0.contentType == .formFields }.map { record in
            guard let id = ids[record.content["name"]?.string ?? ""]?.popLast() else { return record }
            return Record(id: id, content: record.content)
        }
    }
}
