package import Annotations

/// The operation of a change.
public enum ChangeKind: String, Hashable, Sendable, CaseIterable {
    case create, update, delete
    /// Restores what the same user deleted, while its tombstone exists.
    case restore
}

/// One sealed change: immutable until the server has answered it.
package struct Change: Hashable, Sendable {
    /// Starts at 1 and increases by exactly 1, separately for each clientID.
    package var n: Int64
    package var kind: ChangeKind
    package var id: Record.ID
    /// The revision of the record that the user saw; 0 for a create and for an untouched base record.
    package var baseRevision: Revision
    /// For a delete only. For a root: the newest revision that the user saw in its thread. For a comment: the revision
    /// of its root that the user saw, or ``leavesRoot``.
    package var threadRevision: Revision?
    /// For a create or update; in an update, a group other than the stored one means a move. nil if absent: the token's
    /// default group for a create, no move for an update. `.some(nil)` is the null group.
    package var group: String??
    /// For a create or update; otherwise nil.
    package var content: Content?

    package init(
        n: Int64, kind: ChangeKind, id: Record.ID, baseRevision: Revision, threadRevision: Revision? = nil,
        group: String?? = .some(nil), content: Content? = nil
    ) {
        self.n = n
        self.kind = kind
        self.id = id
        self.baseRevision = baseRevision
        self.threadRevision = threadRevision
        // Elsewhere a group has no meaning: absent is the same as null.
        self.group = kind == .create || kind == .update ? group : .some(group ?? nil)
        self.content = content
    }

    /// For the delete of a comment: its root stays, even if this was the last comment.
    package static let leavesRoot: Revision = -1

    /// The UTF-8 text that must be the same when a change is sent again; a server stores a hash of it.
    package var canonicalBytes: [UInt8] {
        var json = JSONWriter(capacity: (content?.text.utf8.count ?? 0) + 256)
        write(to: &json)
        return json.bytes
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("n", n)
            $0.member("op", kind.rawValue)
            $0.member("id", id)
            $0.member("baseRevision", baseRevision)
            if let threadRevision { $0.member("threadRevision", threadRevision) }
            if let group { $0.member("group", orNull: group) }
            if let content { $0.member("content", source: content.text) }
        }
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        var n: Int64?
        var kind: ChangeKind?
        var id: Record.ID?
        var baseRevision: Revision = 0
        var threadRevision: Revision?
        var group: String??
        var content: Content?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "n": n = try reader.integer()
            case "op":
                kind = ChangeKind(rawValue: try reader.string())
                guard kind != nil else { throw reader.error(.wrongType("create, update, delete or restore")) }
            case "id": id = try reader.string()
            case "baseRevision": baseRevision = try reader.integer()
            case "threadRevision":
                if case .null = try reader.peek() { try reader.null() } else { threadRevision = try reader.integer() }
            case "group": group = .some(try reader.optionalString())
            case "content":
                if case .null = try reader.peek() { try reader.null() } else { content = try Content(from: &reader) }
            default: try reader.skip()
            }
        }
        self.init(
            n: try n.required("n", reader), kind: try kind.required("op", reader), id: try id.required("id", reader),
            baseRevision: baseRevision, threadRevision: threadRevision, group: group, content: content)
    }
}
