import Annotations
import EngineCore
import SyncProtocol

/// A record in a backend request: `{"id"?,"user_id"?,"group"?,"content"}`.
struct RecordBody: Sendable {
    var id: Record.ID
    /// Whether the backend supplied the id.
    var hasOwnID: Bool
    var user: String?
    /// nil: missing; `.some(nil)`: the null group.
    var group: String??
    var content: Content

    init(_ json: JSON, now: Timestamp) throws {
        guard let object = json["content"]?.object else { throw APIError(.invalid, #""content" must be an object"#) }
        content = Content(object)
        user = try Self.text(json, "user_id")
        group = json["group"] == nil ? nil : .some(try Self.text(json, "group"))
        if let id = try Self.text(json, "id") {
            self.id = id
            hasOwnID = true
        } else {
            var random = SystemRandomNumberGenerator()
            id = ULID.make(at: now, using: &random)
            hasOwnID = false
        }
    }

    /// Creates a comment; `{"content":{"text"}}` suffices. Other members stay; missing ones come from the root and from
    /// the clock, which orders the thread.
    ///
    /// - Parameter moment: later than that of the previous comment.
    init(_ json: JSON, under id: Record.ID, _ root: Content, at moment: Timestamp) throws {
        try self.init(json, now: moment)
        guard let text = content["text"].flatMap(CommentText.init(json:)) else {
            throw APIError(.invalid, "\(InvalidContent.missingText)")
        }
        let said = content.object
        content = .comment(text, under: id, root).changing { comment in
            for name in ["createdAt", "updatedAt"] { comment[name] = .string(moment.iso8601) }
            for member in said.members where !member.key.isExactly("rootId") { comment[member.key] = member.value }
        }
    }

    private static func text(_ json: JSON, _ name: String) throws -> String? {
        switch json[name] {
        case nil, .null?: return nil
        case .string(let text)? where text.utf8.count <= 1024 && !text.utf8.contains(0): return text
        default: throw APIError(.invalid, #""\#(name)" must be a string of at most 1,024 bytes"#)
        }
    }
}

extension BackendWriter {
    mutating func create(_ draft: RecordBody) throws -> Record.ID {
        try create(draft.id, draft.content, user: draft.user, group: draft.group ?? nil)
        return draft.id
    }

    mutating func replace(_ draft: RecordBody) throws -> Record.ID {
        guard draft.hasOwnID else { throw APIError(.invalid, #""id" of the record to replace is missing"#) }
        try replace(draft.id, draft.content, user: draft.user, group: draft.group)
        return draft.id
    }
}
