package import Annotations

/// A three-way merge of one record: of the version that two sides come from, and those of the two sides. nil is a record
/// that does not exist there.
package struct RecordMerge: Sendable {
    package enum Outcome: Hashable, Sendable {
        /// Neither side changed it.
        case unchanged
        /// Only one side changed, created or deleted it.
        case mine, theirs
        /// Both did the same.
        case same
        /// Both changed it, in different members or different words.
        case merged
        /// Both changed it differently, or one deleted what the other changed. The result has my version of what is
        /// disputed, and the record if only one side has it.
        case conflict
    }

    package let outcome: Outcome
    /// nil: deleted.
    package private(set) var result: Record?
    /// The members that both changed differently. Empty where one side deleted the record.
    package private(set) var members: [String] = []

    package init(base: Record?, mine: Record?, theirs: Record?) {
        switch (mine, theirs) {
        case (nil, nil):
            (outcome, result) = (base == nil ? .unchanged : .same, nil)
        case (let mine?, nil):
            if let base {
                let isChanged = !mine.isSame(as: base)
                (outcome, result) = isChanged ? (.conflict, mine) : (.theirs, nil)
            } else {
                (outcome, result) = (.mine, mine)
            }
        case (nil, let theirs?):
            if let base {
                let isChanged = !theirs.isSame(as: base)
                (outcome, result) = isChanged ? (.conflict, theirs) : (.mine, nil)
            } else {
                (outcome, result) = (.theirs, theirs)
            }
        case (let mine?, let theirs?):
            let (mineChanged, theirsChanged) = (
                base.map { !mine.isSame(as: $0) } ?? true, base.map { !theirs.isSame(as: $0) } ?? true
            )
            switch (mineChanged, theirsChanged) {
            case (false, false): (outcome, result) = (.unchanged, mine)
            case (true, false): (outcome, result) = (.mine, mine)
            case (false, true): (outcome, result) = (.theirs, theirs)
            case (true, true):
                var merge = MemberMerge(base, mine, theirs)
                merge.run()
                members = merge.disputed
                result = merge.result
                let isSame = mine.isSame(as: theirs)
                outcome = !members.isEmpty ? .conflict : isSame ? .same : .merged
            }
        }
    }

    /// A record that is kept although one side deleted it.
    fileprivate init(keeping record: Record) { (outcome, result) = (.conflict, record) }

    static func keeping(_ record: Record) -> RecordMerge { RecordMerge(keeping: record) }
}

extension Record {
    /// Members that do not make a record another one: stamps, and what a reading adds.
    package static let stamps: Set = ["updatedAt", "pdfObjectId"]

    /// Whether two versions say the same.
    package func isSame(as other: Record) -> Bool {
        guard group.isExactly(other.group) else { return false }
        if content == other.content { return true }
        return content.object.keys(differingFrom: other.content.object, except: Self.stamps).isEmpty
    }
}

/// Merges the members of two versions that both differ from the base.
private struct MemberMerge {
    private let base: Record?
    private let mine: Record
    private let theirs: Record
    private let (old, my, their): (JSONObject?, JSONObject, JSONObject)
    private var merged: JSONObject
    private(set) var disputed: [String] = []

    private static let texts: Set = ["text", "note", "contents", "description", "subject"]

    init(_ base: Record?, _ mine: Record, _ theirs: Record) {
        (self.base, self.mine, self.theirs) = (base, mine, theirs)
        (old, my, their) = (base?.content.object, mine.content.object, theirs.content.object)
        merged = my
    }

    var result: Record {
        var record = mine
        record.content = Content(merged)
        if let base, mine.group.isExactly(base.group) { record.group = theirs.group }
        return record
    }

    mutating func run() {
        // Members of another kind mean other things.
        guard my["type"] == their["type"] else {
            if my["type"] == old?["type"] { merged = their }
            // Only one side made it another kind, but the other side has changed it too.
            return disputed = ["type"]
        }
        mergePlace()
        let keys = my.members.map(\.key) + their.members.map(\.key).filter { my[$0] == nil }
        let gone = (old?.members.map(\.key) ?? []).filter { my[$0] == nil && their[$0] == nil }
        for key in keys where !Content.placeMembers.contains(key) && !gone.contains(key) { merge(key) }
        let moments = [my, their].compactMap { $0["updatedAt"]?.string }
        let latest = moments.max { one, other in
            (Timestamp(iso8601: one) ?? .init(seconds: 0)) < (Timestamp(iso8601: other) ?? .init(seconds: 0))
        }
        if let latest { merged["updatedAt"] = .string(latest) }
    }

    /// The members of a place are taken from one side, so that they fit each other.
    private mutating func mergePlace() {
        func place(_ object: JSONObject?) -> [String: JSON] {
            var place: [String: JSON] = [:]
            for key in Content.placeMembers { place[key] = object?[key] }
            return place
        }
        let (was, mine, theirs) = (place(old), place(my), place(their))
        guard mine != theirs, theirs != was else { return }
        if mine == was {
            for key in Content.placeMembers { merged[key] = their[key] }
        } else {
            let close = Content.placeMembers.allSatisfy { key in
                guard let one = mine[key], let other = theirs[key] else { return mine[key] == theirs[key] }
                return one.isClose(to: other)
            }
            if !close { disputed.append("place") }
        }
    }

    private mutating func merge(_ key: String) {
        let (was, mine, theirs) = (old?[key], my[key], their[key])
        guard mine != theirs, theirs != was || old == nil else { return }
        // Without a base, what only one has is taken.
        if old == nil, theirs == nil { return }
        if mine == was || (old == nil && mine == nil) { return merged[key] = theirs }
        guard !Content.stampMembers.contains(key) else { return }
        if let one = mine, let other = theirs, one.isClose(to: other) { return }
        if Self.texts.contains(key), let text = mergedText(was, mine, theirs) { return merged[key] = text }
        disputed.append(key)
    }

    private func mergedText(_ was: JSON?, _ mine: JSON?, _ theirs: JSON?) -> JSON? {
        guard old != nil, case .plain(let one)? = mine.flatMap(CommentText.init(json:)),
            case .plain(let other)? = theirs.flatMap(CommentText.init(json:))
        else { return nil }
        var before = ""
        if let was {
            guard case .plain(let text)? = CommentText(json: was) else { return nil }
            before = text
        }
        guard let text = WordMerge.merged(base: before, mine: one, theirs: other) else { return nil }
        guard mine?.object != nil else { return .string(text) }
        return ["format": "plain", "value": .string(text)]
    }
}
