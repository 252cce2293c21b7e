package import Annotations

/// One step of a view from revision to revision: the latest state of a record, or its removal from the view (deleted or
/// moved out of sight, which cannot be distinguished).
package enum SyncItem: Hashable, Sendable {
    case record(Record, Revision)
    case removed(Record.ID, Revision)

    package var id: Record.ID {
        switch self {
        case .record(let record, _): record.id
        case .removed(let id, _): id
        }
    }

    package var revision: Revision {
        switch self {
        case .record(_, let revision), .removed(_, let revision): revision
        }
    }

    /// The approximate bytes of an item in addition to its content.
    package static let overhead = 256

    package var size: Int { size(omitting: nil) }

    package func size(omitting sent: SentContents?) -> Int {
        guard case .record(let record, _) = self, sent?.number(of: record) == nil else { return Self.overhead }
        return record.content.text.utf8.count + Self.overhead
    }

    /// - Parameter sent: What the reader of the item has sent; its content is not repeated.
    package func write(to json: inout JSONWriter, omitting sent: SentContents? = nil) {
        switch self {
        case .record(let record, let revision):
            guard let n = sent?.number(of: record) else { return record.write(to: &json, revision: revision) }
            json.object {
                $0.member("id", record.id)
                $0.member("sent", n)
                $0.member("createdBy", orNull: record.createdBy)
                $0.member("updatedBy", orNull: record.updatedBy)
                $0.member("group", orNull: record.group)
                $0.member("revision", revision)
            }
        case .removed(let id, let revision):
            json.object {
                $0.member("id", id)
                $0.member("removed", true)
                $0.member("revision", revision)
            }
        }
    }

    package init(from reader: inout JSONReader, sent: SentContents? = nil) throws(JSONError) {
        var id: Record.ID?
        var content: Content?
        var createdBy: String?
        var updatedBy: String?
        var group: String?
        var revision: Revision?
        var removed = false
        var sentNumber: Int64?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "id": id = try reader.string()
            case "content": content = try Content(from: &reader)
            case "sent": sentNumber = try reader.integer()
            case "createdBy": createdBy = try reader.optionalString()
            case "updatedBy": updatedBy = try reader.optionalString()
            case "group": group = try reader.optionalString()
            case "revision": revision = try reader.integer()
            case "removed": removed = try reader.bool()
            default: try reader.skip()
            }
        }
        guard let id else { throw reader.error(.missing("id")) }
        guard let revision else { throw reader.error(.missing("revision")) }
        if removed {
            self = .removed(id, revision)
        } else {
            guard let content = content ?? sentNumber.flatMap({ sent?.content(of: $0, for: id) }) else {
                throw reader.error(.missing("content"))
            }
            self = .record(
                Record(id: id, content: content, createdBy: createdBy, updatedBy: updatedBy, group: group), revision)
        }
    }
}

extension JSONWriter {
    package mutating func member(_ key: String, items: [SyncItem], omitting sent: SentContents? = nil) {
        self.key(key)
        array(items) { $1.write(to: &$0, omitting: sent) }
    }
}

extension JSONReader {
    mutating func items(sent: SentContents? = nil) throws(JSONError) -> [SyncItem] {
        var items: [SyncItem] = []
        try array { (reader: inout JSONReader) throws(JSONError) in
            items.append(try SyncItem(from: &reader, sent: sent))
        }
        return items
    }
}
