package import Annotations

/// Writes Instant JSON of a whole document piece by piece, so that a layer need not be held to be exported: annotations
/// first, then comments, one record a line.
///
/// A record is its content with `id`, and `createdBy`, `updatedBy` and `group` where it has them.
package struct InstantJSONWriter {
    private enum Section: String {
        case annotations, comments
    }

    private var section: Section?

    package init() {}

    package func begin() -> String { #"{"format":"\#(InstantJSONFile.format)""# }

    /// - Precondition: no annotation comes behind a comment.
    package mutating func add(_ record: Record) -> String {
        let wanted: Section = record.contentType == .comments ? .comments : .annotations
        precondition(section != .comments || wanted == .comments, "annotations come before comments")
        defer { section = wanted }
        let item = Self.item(record).text
        if section == wanted { return ",\n" + item }
        let closing =
            switch section {
            case .annotations: "\n]"
            case .comments: ""
            case nil: wanted == .comments ? ",\n\"annotations\":[]" : ""
            }
        return closing + ",\n\"\(wanted.rawValue)\":[\n" + item
    }

    package func end() -> String { section == nil ? ",\n\"annotations\":[]}\n" : "\n]}\n" }

    private static func item(_ record: Record) -> JSON {
        var item = JSONObject()
        item["id"] = .string(record.id)
        for member in record.content.object.members where !InstantJSONFile.envelope.contains(member.key) {
            item[member.key] = member.value
        }
        item["createdBy"] = record.createdBy.map(JSON.string)
        item["updatedBy"] = record.updatedBy.map(JSON.string)
        item["group"] = record.group.map(JSON.string)
        return .object(item)
    }
}
