import Annotations
import Interchange

/// The differences between two layers, record by record: first the records of the second layer, then those it lacks.
struct LayerDifferences {
    enum Kind: String { case added, removed, changed }

    struct Difference {
        var kind: Kind
        var id: Record.ID?
        /// The content in the second layer, or in the first for a removed record.
        var content: Content
        /// The names of the members that differ, for a record that is in both.
        var members: [String] = []
    }

    private(set) var all: [Difference] = []

    init(from old: [InstantJSONFile.Item], to new: [InstantJSONFile.Item]) {
        var before: [ByteOrdered: [InstantJSONFile.Item]] = [:]
        for item in old { before[item.key, default: []].append(item) }
        for item in new {
            guard let was = before[item.key]?.popLast() else {
                all.append(Difference(kind: .added, id: item.id, content: item.content))
                continue
            }
            let members = Self.members(was, item)
            guard !members.isEmpty else { continue }
            all.append(Difference(kind: .changed, id: item.id, content: item.content, members: members))
        }
        for item in old where before[item.key]?.popLast() != nil {
            all.append(Difference(kind: .removed, id: item.id, content: item.content))
        }
    }

    private static func members(_ one: InstantJSONFile.Item, _ other: InstantJSONFile.Item) -> [String] {
        let (old, new) = (one.content.object, other.content.object)
        var names = old.members.map(\.key).filter { old[$0] != new[$0] }
        names += new.members.map(\.key).filter { old[$0] == nil }
        if !isSame(one.group, other.group) { names.append("group") }
        if !one.createdBy.isExactly(other.createdBy) { names.append("createdBy") }
        if !one.updatedBy.isExactly(other.updatedBy) { names.append("updatedBy") }
        return names
    }

    private static func isSame(_ group: String??, _ other: String??) -> Bool {
        guard let group, let other else { return group == nil && other == nil }
        return group.isExactly(other)
    }
}

extension InstantJSONFile.Item {
    /// The key that identifies the same record in both files.
    fileprivate var key: ByteOrdered { ByteOrdered(id.map { "id " + $0 } ?? "content " + content.text) }
}

extension LayerDifferences.Difference {
    var json: String {
        JSONWriter.text {
            $0.member("id", orNull: id)
            $0.member("difference", kind.rawValue)
            $0.member("members", JSON.array(members.map(JSON.string)))
        }
    }
}
