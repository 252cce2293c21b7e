package import Annotations

/// One annotation as the dictionary that stands for it in a PDF (ISO 32000-1, 12.5), between a record's content and
/// the formats that write such dictionaries: PDF itself, and XFDF.
package struct PDFAnnotation: Hashable, Sendable {
    /// Without `Type`, `P` and `AP`. References stay in it only where it was read from a file.
    package var entries: [String: PDFObject]

    package init(entries: [String: PDFObject]) { self.entries = entries }

    /// A member of Instant JSON that PDF has no place for is not in it.
    ///
    /// - Returns: nil for what is no annotation of its own in a PDF: a comment, and a kind nobody knows.
    package init?(_ content: Content, on frame: PageFrame) {
        var writer = AnnotationWriter(content, on: frame)
        guard writer.kind() else { return nil }
        entries = writer.entries
    }

    /// A comment, which in a PDF is a note that replies. Who holds the root adds `IRT`.
    ///
    /// - Parameter root: the annotation under which it stands.
    package init(comment content: Content, under root: Content, on frame: PageFrame) {
        var writer = AnnotationWriter(content, on: frame)
        writer.comment(under: Rect(json: root["bbox"] ?? .null))
        entries = writer.entries
    }

    /// - Parameter pageCount: what a link may lead to.
    /// - Returns: the content, and what it lacks, in words of ours.
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
