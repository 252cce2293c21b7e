import Annotations

/// Contents of records, distinguished by their text.
enum Remark {
    static func annotation(_ type: String, _ text: String) -> Content {
        var object = JSONObject()
        object["v"] = 2
        object["type"] = .string(type)
        object["pageIndex"] = 0
        object["bbox"] = [1, 2, 3, 4]
        object["text"] = .string(text)
        return Content(object)
    }

    static func comment(on root: Record.ID, _ text: String) -> Content {
        var object = JSONObject()
        object["v"] = 2
        object["type"] = "pspdfkit/comment"
        object["rootId"] = .string(root)
        object["pageIndex"] = 0
        object["text"] = .string(text)
        return Content(object)
    }

    /// A comment that sets a state.
    static func state(_ name: String, on root: Record.ID, _ text: String) -> Content {
        comment(on: root, text).changing { $0["postilla"] = ["state": .string(name), "stateModel": "review"] }
    }

    static func isState(_ content: Content) -> Bool {
        content["rootId"]?.string != nil && content["postilla"]?["stateModel"] == "review"
    }

    static let states = ["accepted", "rejected", "cancelled", "completed", "none"]

    /// Names of files; their contents do not matter here.
    static let files = ["1", "2", "3"].compactMap { AttachmentID(String(repeating: $0, count: 64)) }

    /// Returns the content with another text.
    static func changed(_ content: Content, to text: String) -> Content {
        content.changing { $0["text"] = .string(text) }
    }

    /// Returns the content of an edit as careless and hostile programs send it: without what says who created the record
    /// and when, or with claims about that. The text decides, so that the dice stay as they are.
    static func careless(_ content: Content, saying text: String) -> Content {
        switch text.utf8.reduce(0, { $0 &+ Int($1) }) % 4 {
        case 0:
            content.changing { object in for member in origin { object[member] = nil } }
        case 1:
            content.changing { object in
                if object["rootId"] != nil { object["type"] = "pspdfkit/note" }
                for member in origin + users { object[member] = "forged" }
            }
        default: content
        }
    }

    /// Returns the content of a new record that claims to be from another user, if the text decides so.
    static func claiming(_ content: Content, saying text: String) -> Content {
        guard text.utf8.count % 2 == 0 else { return content }
        return content.changing { object in for member in users { object[member] = "forged" } }
    }

    /// The members that an edit does not change.
    static let origin = ["creatorName", "createdAt", "rootId", "isCommentThreadRoot"]
    /// The members that only the server may set, outside the content.
    static let users = ["createdBy", "updatedBy"]

    /// Checks that an edit left who created a record, when, in which thread and as what.
    static func checkOrigin(_ old: Content, _ new: Content, _ id: Record.ID) throws {
        let (old, new) = (old.object, new.object)
        for member in origin { try require(old[member] == new[member], "an edit of \(id) changed its \(member)") }
        if old["rootId"] != nil {
            try require(old["type"] == new["type"], "an edit of the comment \(id) changed its type")
        }
        try checkUsers(new, id)
    }

    static func checkUsers(_ content: JSONObject, _ id: Record.ID) throws {
        for member in users { try require(content[member] == nil, "the content of \(id) names a user") }
    }

    /// Returns the text of a content made here, or the value of a form field, without reading the whole annotation.
    static func text(of content: Content) -> String {
        guard let text = content["value"] ?? content["text"] else { return "" }
        return text.string ?? text["value"]?.string ?? ""
    }
}
