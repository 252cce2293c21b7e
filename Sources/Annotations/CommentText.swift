/// The text of a comment, in either of its two forms: a plain string (version 1), or `{format, value}` (version 2).
public enum CommentText: Hashable, Sendable {
    case plain(String)
    /// Paragraphs with formatting and mentions; version 2 only.
    case xhtml(String)

    /// - Parameter json: The `text` of a comment; the result is nil if it has neither form.
    public init?(json: JSON) {
        if let plain = json.string {
            self = .plain(plain)
        } else if let value = json["value"]?.string {
            self = json["format"]?.string == "xhtml" ? .xhtml(value) : .plain(value)
        } else {
            return nil
        }
    }

    /// The text without markup, for display.
    public var words: String {
        switch self {
        case .plain(let text): text
        case .xhtml(let text): PlainText.reading(xhtml: text)
        }
    }

    /// The text in the form of this version of comments.
    package func json(version: Int64) -> JSON {
        var object = JSONObject()
        switch self {
        case .plain(let text):
            guard version > 1 else { return .string(text) }
            object["format"] = "plain"
            object["value"] = .string(text)
        case .xhtml(let text):
            object["format"] = "xhtml"
            object["value"] = .string(text)
        }
        return .object(object)
    }
}

extension Content {
    /// Returns a comment under a root, on the root's page and in the root's version unless the text needs version 2.
    public static func comment(_ text: CommentText, under id: Record.ID, _ root: Content) -> Content {
        let root = root.object
        var version = root["v"]?.integer == 1 ? Int64(1) : 2
        if case .xhtml = text { version = 2 }
        var object = JSONObject()
        object["v"] = .number(JSONNumber(version))
        object["type"] = .string(AnnotationKind.comment.type)
        object["pageIndex"] = root["pageIndex"] ?? 0
        object["rootId"] = .string(id)
        object["text"] = text.json(version: version)
        return Content(object)
    }

    /// Returns a marker: a root for a thread at a place without text to mark.
    ///
    /// - Parameters:
    ///   - page: Zero-based.
    ///   - place: Its centre, in points from the top left.
    public static func commentMarker(onPage page: Int, at place: Point) -> Content {
        let side = 32.0
        var object = JSONObject()
        object["v"] = 2
        object["type"] = .string(AnnotationKind.commentMarker.type)
        object["pageIndex"] = .number(JSONNumber(Int64(page)))
        object["bbox"] = Rect(left: place.x - side / 2, top: place.y - side / 2, width: side, height: side).json
        object["opacity"] = 1
        return Content(object).asCommentThreadRoot
    }

    /// Returns the content for a root that is created together with its first comment. The server deletes such a root
    /// with its last comment. Content that already has the flag does not change.
    public var asCommentThreadRoot: Content {
        self["isCommentThreadRoot"] == nil ? changing { $0["isCommentThreadRoot"] = true } : self
    }
}

/// The plain text of a comment in XHTML, for display in rows.
enum PlainText {
    static func reading(xhtml: String) -> String {
        var words = XHTMLPieces(Array(xhtml.utf8)).pieces.flatMap(\.words)
        while words.last == UInt8(ascii: "\n") { words.removeLast() }
        return String(decoding: words, as: UTF8.self)
    }
}
