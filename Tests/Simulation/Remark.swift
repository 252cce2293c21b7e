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

    static func text(of content: Content) -> String { Annotation(id: "", content: content).text }
}
