import Annotations

/// Converts an annotation dictionary to Instant JSON (vendor guide: JSON schema, annotations; ISO 32000-1, 12.5).
///
/// Members missing in the file are left out; missing required ones are noted in ``defects``.
struct AnnotationReader {
    let source: PDFDictionary
    let frame: PageFrame
    let destinations: Destinations
    /// Fixed phrases such as "no box"; none quotes the file.
    private(set) var defects: [String] = []
    var json = JSONObject()
    /// Members under `postilla`, for data without a place in Instant JSON.
    var aside = JSONObject()
    /// The annotation's rectangle, as displayed.
    let box: Rect?

    /// Why only a part of the annotation was read; nil if all of it was. See ``Content/readInPart``.
    private(set) var limit: String?

    /// Limit on coordinates of one annotation; a record could not hold more, so the rest is left out.
    static let maxNumbers = 20_000
    static let (tooManyPoints, tooManyBoxes) = ("more than 10,000 points", "more than 2,500 boxes")
    /// Limits on the Unicode scalars of a text and of a name.
    static let maxTextLength = 100_000
    static let maxNameLength = 1000
    static let tooLongText = "a text of more than 100,000 characters"
    static let tooLongName = "a name of more than 1,000 characters"
    /// Limits on a name that is not shown as one, on lengths of dashes, and on styles.
    static let (maxWord, maxDashes, maxStyle) = (128, 16, 1000)

    init(
        _ source: PDFDictionary, on frame: PageFrame, pageIndex: Int, number: Int?, destinations: Destinations
    ) {
        self.source = source
        self.frame = frame
        self.destinations = destinations
        box = source.numbers("Rect").flatMap { $0.count == 4 ? frame.box(around: $0) : nil }
        json["v"] = 1
        json["type"] = "pspdfkit/unknown"
        json["pageIndex"] = .number(JSONNumber(Int64(pageIndex)))
        json["bbox"] = box?.json
        json["pdfObjectId"] = number.map { .number(JSONNumber(Int64($0))) }
    }

    mutating func content() -> Content {
        if box == nil { note("no box") }
        common()
        kind()
        if json["bbox"] == nil { json["bbox"] = boxOfParts?.json }
        if let limit {
            aside[Content.partKey] = .string(limit)
            defects.insert(Content.partWarning + limit, at: 0)
        }
        if !defects.isEmpty { aside["warning"] = .string(defects.joined(separator: "; ")) }
        if !aside.members.isEmpty { json["postilla"] = .object(aside) }
        return Content(json)
    }

    /// Notes that not all of the annotation is read.
    mutating func cut(_ limit: String) {
        self.limit = self.limit ?? limit
    }

    /// Returns a text cut to `limit` scalars, which it notes.
    mutating func cut(_ text: String, to limit: Int, _ reason: String) -> String {
        guard text.isLonger(thanScalars: limit) else { return text }
        cut(reason)
        return String(text.prefix(scalars: limit))
    }

    mutating func note(_ defect: String) {
        defects.append(defect)
    }

    private mutating func kind() {
        switch source["Subtype"].name {
        case "Highlight": markup("highlight")
        case "Underline": markup("underline")
        case "StrikeOut": markup("strikeout")
        case "Squiggly": markup("squiggly")
        case "Text": stickyNote()
        case "FreeText": freeText()
        case "Ink": ink()
        case "Line": line()
        case "Square": shape("rectangle")
        case "Circle": shape("ellipse")
        case "Polygon": polygon("polygon")
        case "PolyLine": polygon("polyline")
        case "Stamp": stamp()
        case "Link": link()
        case "Redact": redaction()
        case "Widget": formField()
        case "FileAttachment": attachedFile()
        case let other: named(other)
        }
    }

    private var boxOfParts: Rect? {
        let parts = (json["rects"]?.array ?? []).compactMap(Rect.init(json:))
        let lines = (json["lines"]?["points"]?.array ?? []) + [json["points"] ?? []]
        let points = lines.flatMap { $0.array ?? [] } + [json["startPoint"], json["endPoint"]].compactMap(\.self)
        let boxes =
            parts + points.compactMap(Point.init(json:)).map { Rect(left: $0.x, top: $0.y, width: 0, height: 0) }
        return boxes.dropFirst().reduce(boxes.first) { $0?.union($1) }
    }
}
