package import Annotations
import PDFPages

/// Writes a whole layer as XFDF incrementally (ISO 19444-1), one annotation per line; a comment is a note that replies
/// to its root. Groups, users and members outside Instant JSON have no place in XFDF and are dropped.
package struct XFDFWriter {
    /// The pages of the document, in order.
    private let pages: [PageFrame]

    package init(pages: [PageFrame]) { self.pages = pages }

    package func begin() -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <xfdf xmlns="\(XFDFNames.namespace)" xml:space="preserve">
        <annots>

        """
    }

    package func end() -> String { "</annots>\n</xfdf>\n" }

    /// Returns whether a record has an XFDF element, and a page.
    ///
    /// - Parameters:
    ///   - root: for a comment, the annotation it belongs to.
    ///   - hasFile: whether the file of a file attachment is known.
    package func holds(_ record: Record, under root: Record? = nil, hasFile: Bool = false) -> Bool {
        let kind = AnnotationKind(of: record.content.object)
        if root == nil, kind == .comment { return false }
        if case .unknown = kind { return !add(record, under: root).isEmpty }
        if kind.pdfSubtype != nil { return !add(record, under: root, file: hasFile ? [] : nil).isEmpty }
        let page = (root?.content ?? record.content)["pageIndex"]?.integer.flatMap { Int(exactly: $0) }
        return page.map(pages.indices.contains) ?? false
    }

    /// - Parameters:
    ///   - root: for a comment, the annotation it belongs to.
    ///   - file: the file of a file attachment.
    /// - Returns: empty for a record without an XFDF element or a page, and for one of which only a part would be written.
    package func add(_ record: Record, under root: Record? = nil, file: [UInt8]? = nil) -> String {
        let place = root?.content ?? record.content
        guard let page = place["pageIndex"]?.integer, let index = Int(exactly: page), pages.indices.contains(index)
        else {
            return ""
        }
        let annotation =
            root.map { PDFAnnotation(comment: record.content, under: $0.content, on: pages[index]) }
            ?? PDFAnnotation(record.content, on: pages[index])
        guard let annotation, annotation.limit == nil, record.content.readInPart == nil,
            var node = XFDFElement.node(annotation, page: index, name: record.id)
        else { return "" }
        if let target = root?.id ?? record.content["postilla"]?["inReplyTo"]?.string {
            let isGroup = root == nil && record.content["postilla"]?["replyType"] == "group"
            node.attributes["inreplyto"] = target
            node.attributes["replyType"] = isGroup ? "group" : "reply"
        }
        // The schema demands the file.
        if node.name == XFDFAttachedFile.element {
            guard let file else { return "" }
            XFDFAttachedFile(name: record.content["fileName"]?.string ?? "", bytes: file).write(into: &node)
        }
        if let rich = RichText.node(record.content) { node.parts.append(.node(rich)) }
        return node.xml + "\n"
    }
}
