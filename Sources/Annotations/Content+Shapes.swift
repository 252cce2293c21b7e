// New drawings, free texts, stamps and images as Instant JSON v1. Content with no extent, such as ink without a point, is
// invalid: creating a record from it is refused.
extension Content {
    /// Returns a drawing.
    ///
    /// - Parameters:
    ///   - strokes: One list of points for each stroke.
    ///   - color: `#rrggbb`.
    ///   - lineWidth: In points.
    public static func ink(
        onPage page: Int, strokes: [[Point]], color: String = "#2293fb", lineWidth: Double = 3
    ) -> Content {
        let strokes = strokes.filter { !$0.isEmpty }
        return make(AnnotationKind.ink.type, page, Rect.around(strokes.flatMap(\.self), lineWidth: lineWidth)) {
            var lines = JSONObject()
            lines["points"] = .array(strokes.map { .array($0.map(\.json)) })
            lines["intensities"] = .array(strokes.map { .array($0.map { _ in 1 }) })
            $0["lines"] = .object(lines)
            $0["lineWidth"] = .number(JSONNumber(lineWidth))
            $0["strokeColor"] = .string(color)
            $0["isDrawnNaturally"] = false
            $0["isSignature"] = false
        }
    }

    /// Returns text that stands on the page.
    ///
    /// - Parameters:
    ///   - color: The text's colour, `#rrggbb`.
    ///   - fontSize: In points.
    public static func freeText(
        onPage page: Int, in box: Rect, text: String, color: String = "#000000", fontSize: Double = 14
    ) -> Content {
        make(AnnotationKind.text.type, page, box) {
            $0["text"] = .string(text)
            $0["font"] = "Helvetica"
            $0["fontSize"] = .number(JSONNumber(fontSize))
            $0["fontColor"] = .string(color)
            $0["horizontalAlign"] = "left"
            $0["verticalAlign"] = "top"
        }
    }

    public static func line(
        onPage page: Int, from start: Point, to end: Point, color: String = "#2293fb", lineWidth: Double = 3
    ) -> Content {
        shape(.line, page, Rect.around([start, end], lineWidth: lineWidth), color, lineWidth) {
            $0["startPoint"] = start.json
            $0["endPoint"] = end.json
        }
    }

    /// - Parameter fill: `#rrggbb`; nil for none.
    public static func rectangle(
        onPage page: Int, in box: Rect, color: String = "#2293fb", fill: String? = nil, lineWidth: Double = 3
    ) -> Content {
        shape(.rectangle, page, box, color, lineWidth) { $0["fillColor"] = fill.map(JSON.string) }
    }

    /// - Parameter fill: `#rrggbb`; nil for none.
    public static func ellipse(
        onPage page: Int, in box: Rect, color: String = "#2293fb", fill: String? = nil, lineWidth: Double = 3
    ) -> Content {
        shape(.ellipse, page, box, color, lineWidth) { $0["fillColor"] = fill.map(JSON.string) }
    }

    /// Returns a closed outline.
    ///
    /// - Parameter fill: `#rrggbb`; nil for none.
    public static func polygon(
        onPage page: Int, points: [Point], color: String = "#2293fb", fill: String? = nil, lineWidth: Double = 3
    ) -> Content {
        shape(.polygon, page, Rect.around(points, lineWidth: lineWidth), color, lineWidth) {
            $0["points"] = .array(points.map(\.json))
            $0["fillColor"] = fill.map(JSON.string)
        }
    }

    /// Returns an open sequence of lines.
    public static func polyline(
        onPage page: Int, points: [Point], color: String = "#2293fb", lineWidth: Double = 3
    ) -> Content {
        shape(.polyline, page, Rect.around(points, lineWidth: lineWidth), color, lineWidth) {
            $0["points"] = .array(points.map(\.json))
        }
    }

    /// Returns a stamp with a text of its own.
    public static func stamp(onPage page: Int, in box: Rect, title: String) -> Content {
        make(AnnotationKind.stamp.type, page, box) {
            $0["stampType"] = "Custom"
            $0["title"] = .string(title)
        }
    }

    /// Returns an attached file, shown as an icon.
    ///
    /// - Parameters:
    ///   - corner: The top left corner of the icon.
    ///   - attachment: The file, which must have been added to the document first.
    ///   - name: The file's name, without a folder.
    ///   - size: The file's size in bytes.
    public static func file(
        onPage page: Int, at corner: Point, attachment: AttachmentID, name: String, size: Int64, text: String = ""
    ) -> Content {
        let box = Rect(left: corner.x, top: corner.y, width: 20, height: 20)
        return make(AnnotationKind.file.type, page, box) {
            $0["icon"] = "paperclip"
            $0["color"] = "#2293fb"
            $0["fileAttachmentId"] = .string(attachment.hex)
            $0["fileName"] = .string(name)
            $0["fileSize"] = .number(JSONNumber(size))
            if !text.isEmpty { $0["note"] = .string(text) }
        }
    }

    /// Returns an image.
    ///
    /// - Parameters:
    ///   - attachment: The file, which must have been added to the document first.
    ///   - contentType: `image/png`, `image/jpeg` or `application/pdf`.
    ///   - description: A text in place of the image, for those who do not see it.
    public static func image(
        onPage page: Int, in box: Rect, attachment: AttachmentID, contentType: String = "image/png",
        description: String? = nil
    ) -> Content {
        make(AnnotationKind.image.type, page, box) {
            $0["imageAttachmentId"] = .string(attachment.hex)
            $0["contentType"] = .string(contentType)
            $0["description"] = description.map(JSON.string)
        }
    }

    private static func shape(
        _ kind: AnnotationKind, _ page: Int, _ box: Rect?, _ color: String, _ lineWidth: Double,
        _ fill: (inout JSONObject) -> Void
    ) -> Content {
        make(kind.type, page, box) {
            $0["strokeColor"] = .string(color)
            $0["strokeWidth"] = .number(JSONNumber(lineWidth))
            fill(&$0)
        }
    }

    /// Returns the content in another place or size: everything drawn in the box moves and scales with it.
    public func changingBox(to new: Rect) -> Content {
        changing { object in
            guard let old = object["bbox"].flatMap(Rect.init(json:)) else {
                object["bbox"] = new.json
                return
            }
            func moved(point: Point) -> Point {
                func scaled(_ value: Double, _ from: Double, _ length: Double, _ to: Double, _ other: Double) -> Double
                {
                    length > 0 ? to + (value - from) * other / length : to + value - from
                }
                return Point(
                    x: scaled(point.x, old.left, old.width, new.left, new.width),
                    y: scaled(point.y, old.top, old.height, new.top, new.height))
            }
            func moved(_ json: JSON) -> JSON { Point(json: json).map { moved(point: $0).json } ?? json }
            func moved(list json: JSON) -> JSON { .array((json.array ?? []).map { moved($0) }) }
            object["bbox"] = new.json
            for key in ["startPoint", "endPoint"] { object[key] = object[key].map { moved($0) } }
            object["points"] = object["points"].map(moved(list:))
            if var lines = object["lines"]?.object {
                lines["points"] = lines["points"].map { .array(($0.array ?? []).map(moved(list:))) }
                object["lines"] = .object(lines)
            }
            object["rects"] = object["rects"].map { rects in
                .array(
                    (rects.array ?? []).map { json in
                        guard let rect = Rect(json: json) else { return json }
                        let corner = moved(point: Point(x: rect.left, y: rect.top))
                        let end = moved(point: Point(x: rect.right, y: rect.bottom))
                        return Rect(
                            left: corner.x, top: corner.y, width: end.x - corner.x, height: end.y - corner.y
                        ).json
                    })
            }
        }
    }
}

extension Rect {
    /// Returns the smallest box around several; nil for none.
    static func around(_ rects: [Rect]) -> Rect? {
        rects.first.map { rects.dropFirst().reduce($0) { $0.union($1) } }
    }

    /// Returns the box of a line through points; nil for none.
    static func around(_ points: [Point], lineWidth: Double) -> Rect? {
        let margin = max(0, lineWidth / 2)
        return around(
            points.map { Rect(left: $0.x - margin, top: $0.y - margin, width: margin * 2, height: margin * 2) })
    }
}
