/// A record parsed for display: the data of a list row, a mark on the page and a detail view.
///
/// Parsing is lenient, because real exports omit "required" members: a missing one is nil or empty here, and the
/// content does not change. All text is untrusted until cleaned for the screen.
public struct Annotation: Hashable, Sendable, Identifiable {
    public var id: Record.ID
    public var kind: AnnotationKind
    /// Zero-based; nil if the content has no valid page index.
    public var pageIndex: Int?
    public var box: Rect?
    /// One box for each line of marked text, for text markup.
    public var rects: [Rect]
    /// The text of a note or a comment, or the note of a markup.
    public var text: String
    /// The name to show; permissions refer to ``Record/createdBy``.
    public var author: String?
    public var color: String?
    public var createdAt: Timestamp?
    public var updatedAt: Timestamp?
    /// The root of the thread of this comment.
    public var rootID: Record.ID?
    /// The head of the group that this annotation is a part of.
    package var head: Record.ID?
    /// The state that this comment sets.
    public var state: AnnotationState?
    /// Lists of points: several for ink, one for polygons and polylines, start and end for a line.
    public var strokes: [[Point]]
    /// A description of anything missing or odd in a record read from a PDF.
    public var warning: String?
    /// The link's target as text (`page 4`, an address).
    public var target: String?
    /// The full name of a form field, with dots, or the name of an attached file; untrusted like any text.
    public var name: String?
    /// Bytes of an attached file, as far as the file says.
    public var fileSize: Int64?

    public init(_ record: Record) { self.init(id: record.id, content: record.content) }

    public init(id: Record.ID, content: Content) {
        let object = content.object
        self.id = id
        kind = AnnotationKind(of: object)
        pageIndex = object["pageIndex"]?.integer.flatMap { (0...1_000_000).contains($0) ? Int($0) : nil }
        box = object["bbox"].flatMap(Rect.init(json:))
        rects = (object["rects"]?.array ?? []).compactMap(Rect.init(json:))
        text = Self.text(object)
        author = object["creatorName"]?.string
        color = ["color", "strokeColor", "fontColor", "fillColor"].lazy.compactMap { object[$0]?.string }.first
        createdAt = object["createdAt"]?.string.flatMap(Timestamp.init(iso8601:))
        updatedAt = object["updatedAt"]?.string.flatMap(Timestamp.init(iso8601:))
        rootID = object["rootId"]?.string
        let aside = object["postilla"]
        if rootID == nil, aside?["replyType"] == "group" { head = aside?["inReplyTo"]?.string }
        state = rootID == nil && kind != .comment ? nil : AnnotationState(aside: aside)
        strokes = Self.strokes(object)
        warning = object["postilla"]?["warning"]?.string
        target = Self.target(object["action"])
        name = (object["formFieldName"] ?? object["fileName"])?.string
        fileSize = object["fileSize"]?.integer.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Whether it is the value of a form field, which the list shows with its widget.
    package var isFormFieldValue: Bool { kind == .unknown(Content.formFieldValueType) }

    /// What a row of a list says: the remark, after the name of a form field or of an attached file with its size.
    public var summary: String {
        guard let name, kind == .file || kind == .formField else { return text }
        let size = kind == .file ? fileSize.map { " (\(ByteCount.text($0)))" } ?? "" : ""
        return name + size + (text.isEmpty ? "" : "  " + text)
    }

    /// Whether lists hide it: furniture without a remark.
    public var isHidden: Bool { kind.isFurniture && text.isBlank }

    /// Reads a string (v1) or `{format, value}` (v2); a markup has its comment in `note`.
    private static func text(_ object: JSONObject) -> String {
        if object["type"]?.string == Content.formFieldValueType {
            // A string, or those of a list.
            return object["value"]?.string
                ?? (object["value"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        }
        return ["text", "note", "contents"].lazy.compactMap { object[$0].flatMap(words) }.first ?? ""
    }

    private static func words(_ text: JSON) -> String? {
        if let plain = text.string { return plain }
        guard let value = text["value"]?.string else { return nil }
        return text["format"]?.string == "xhtml" ? PlainText.reading(xhtml: value) : value
    }

    private static func strokes(_ object: JSONObject) -> [[Point]] {
        if let lines = object["lines"]?["points"]?.array {
            return lines.map { ($0.array ?? []).compactMap(Point.init(json:)) }
        }
        if let points = object["points"]?.array { return [points.compactMap(Point.init(json:))] }
        let ends = [object["startPoint"], object["endPoint"]].compactMap { $0.flatMap(Point.init(json:)) }
        return ends.isEmpty ? [] : [ends]
    }

    private static func target(_ action: JSON?) -> String? {
        if let page = action?["pageIndex"]?.integer, page < Int64.max { return "page \(page + 1)" }
        return action?["uri"]?.string
    }
}

extension Rect {
    /// Reads `[left, top, width, height]` with finite numbers and no negative sides.
    public init?(json: JSON) {
        guard let values = json.array?.compactMap(\.double), values.count == 4, json.array?.count == 4,
            values[2] >= 0, values[3] >= 0
        else { return nil }
        self.init(left: values[0], top: values[1], width: values[2], height: values[3])
    }

    public var json: JSON {
        .array([left, top, width, height].map { .number(JSONNumber(($0 * 1000).rounded() / 1000)) })
    }
}

extension Point {
    public init?(json: JSON) {
        guard let values = json.array?.compactMap(\.double), values.count == 2 else { return nil }
        self.init(x: values[0], y: values[1])
    }

    public var json: JSON { .array([x, y].map { .number(JSONNumber(($0 * 1000).rounded() / 1000)) }) }
}
