package import Annotations

/// An annotation as its PDF dictionary (ISO 32000-1, 12.5), the common form between a record's content and the formats
/// that write such dictionaries: PDF itself, and XFDF.
package struct PDFAnnotation: Hashable, Sendable {
    /// Without `Type`, `P` and `AP`. Contains references only when read from a file.
    package var entries: [String: PDFObject]
    /// Why only a part of a record is in them, as a noun phrase; nil if all of it is that PDF can express.
    package private(set) var limit: String?

    package init(entries: [String: PDFObject]) { self.entries = entries }

    /// Creates the dictionary of an annotation, without members that PDF cannot express.
    ///
    /// - Returns: nil for content that is not a separate PDF annotation: a comment, or an unknown kind.
    package init?(_ content: Content, on frame: PageFrame) {
        self.init(content, on: frame, isOwn: false)
    }

    /// - Parameter isOwn: whether the annotation is in the file already.
    init?(_ content: Content, on frame: PageFrame, isOwn: Bool) {
        var writer = AnnotationWriter(content, on: frame, isOwn: isOwn)
        guard writer.kind() else { return nil }
        entries = writer.entries.mapValues(\.plain)
        limit = writer.limit
    }

    /// Creates the dictionary as ``AnnotatedPDF`` writes it into a file, where the rectangle is that of the drawing.
    package init?(asWritten content: Content, on frame: PageFrame) {
        self.init(content, on: frame)
        if let place = AppearanceWriter(content, on: frame, image: nil)?.appearance()?.place {
            entries["Rect"] = .numbers(frame.corners(of: place))
        }
    }

    /// Creates a comment, which a PDF represents as a note in reply to another annotation. The caller adds `IRT`.
    ///
    /// - Parameter root: the annotation it comments on.
    package init(comment content: Content, under root: Content, on frame: PageFrame) {
        var writer = AnnotationWriter(content, on: frame)
        writer.comment(under: Rect(json: root["bbox"] ?? .null))
        entries = writer.entries.mapValues(\.plain)
        limit = writer.limit
    }

    /// The defect of a file attachment whose dictionary has no file.
    package static let noFile = "no file stored"

    /// - Parameter pageCount: the number of pages a link may lead to.
    /// - Returns: the content, and its defects in fixed phrases.
    package func content(onPage index: Int, _ frame: PageFrame, pageCount: Int) -> (Content, defects: [String]) {
        guard let source = PDFDictionary(.dictionary(entries), in: ObjectDump()) else {
            return (Content(JSONObject()), [])
        }
        var reader = AnnotationReader(
            source, on: frame, pageIndex: index, number: nil, destinations: Destinations(pageCount: pageCount))
        let content = reader.content()
        return (content, reader.defects)
    }
}
