package import Annotations
import PDFPages

/// A parsed XFDF file of a whole document (ISO 19444-1): its annotations as records, with replies to markup annotations
/// and markers as their threads. Values of form fields are not part of a layer.
package struct XFDFFile: Hashable, Sendable {
    package private(set) var annotations: [InstantJSONFile.Item] = []
    package private(set) var comments: [InstantJSONFile.Item] = []
    /// Skipped or incomplete elements.
    package private(set) var problems: [FileProblem] = []

    private static let maxProblems = 1000

    /// - Parameter pages: the pages of the document, in order.
    /// - Throws: ``XMLError`` with the position; the whole file is then rejected.
    package init(_ bytes: [UInt8], pages: [PageFrame]) throws(XMLError) {
        var reader = XMLReader(bytes)
        guard case .start(let root, _)? = try reader.next(), root.withoutPrefix == "xfdf" else {
            throw XMLError(.wrongRoot("xfdf"), at: reader.offset)
        }
        var threads = XFDFThreads()
        while let event = try reader.next() {
            guard case .start(let name, let attributes) = event else { continue }
            // Other elements are parsed too, so that a malformed file is never used in part.
            guard name.withoutPrefix == "annots" else {
                let node = try XMLNode(name, attributes, from: &reader)
                let fields = node.name == "fields" ? node.valueCount : 0
                if fields > 0 {
                    let words = "\(fields) form field\(fields == 1 ? "" : "s")"
                    problems.append(FileProblem(nil, "\(words): values are not part of a layer"))
                }
                continue
            }
            annots: while let event = try reader.next() {
                switch event {
                case .start(let name, let attributes):
                    take(try XMLNode(name, attributes, from: &reader), pages, into: &threads)
                case .end: break annots
                case .text: break
                }
            }
        }
        (annotations, comments) = threads.sorted(on: pages)
    }

    private mutating func take(_ node: XMLNode, _ pages: [PageFrame], into threads: inout XFDFThreads) {
        // A popup belongs to its parent.
        guard node.name != "popup" else { return }
        guard var annotation = XFDFElement.annotation(node) else {
            return tell("unknown kind of annotation", of: node)
        }
        guard let page = node.attributes["page"].flatMap({ Int($0) }), pages.indices.contains(page) else {
            return tell("no such page in the document", of: node)
        }
        // The name becomes the record's id.
        annotation.entries["NM"] = nil
        var (content, defects) = annotation.content(onPage: page, pages[page], pageCount: pages.count)
        if let limit = content.readInPart { return tell("only a part of it can be read: \(limit)", of: node) }
        // The file itself is in the element, not in the entries that were read.
        let file = node.name == XFDFAttachedFile.element ? XFDFAttachedFile(node) : nil
        var told = defects
        if let file {
            (content, told) = XFDFAttachedFile.complete(content, defects, name: file.name, holdsFile: file.bytes != nil)
        }
        if node.child("data") != nil, file?.bytes == nil {
            told = ["its file is left out"] + told.filter { $0 != PDFAnnotation.noFile }
        }
        if !told.isEmpty { tell(told.joined(separator: "; "), of: node, isSkipped: false) }
        threads.add(node, content, file: file?.bytes)
    }

    private mutating func tell(_ problem: String, of node: XMLNode, isSkipped: Bool = true) {
        guard problems.count < Self.maxProblems else { return }
        problems.append(FileProblem(node.attributes["name"] ?? "<\(node.name)>", problem, isSkipped: isSkipped))
    }
}

extension XMLNode {
    /// The number of form fields in it that have a value.
    fileprivate var valueCount: Int {
        children.reduce(0) { $0 + ($1.name == "value" || $1.name == "value-richtext" ? 1 : $1.valueCount) }
    }
}
