package import Annotations
import PDFPages

/// Compares an annotation of a file with the record that it is already. A PDF or an XFDF file holds less than a record, so
/// only those members change in which the file differs from what it would hold of the record.
package enum KnownRecord {
    /// Members that a program stamps, or that name things differently in each file.
    package static let stamped: Set = [
        "pdfObjectId", "createdAt", "updatedAt", "creatorName", "name", "postilla", "rootId", "pageIndex", "v",
        "isCommentThreadRoot",
    ]

    /// Returns the members that differ, nil for one that is gone.
    package static func changes(from old: Content, to new: Content) -> [ByteOrdered: JSON?] {
        let (old, new) = (old.object, new.object)
        var changes: [ByteOrdered: JSON?] = [:]
        for key in old.keys(differingFrom: new, except: stamped) { changes[ByteOrdered(key)] = .some(new[key]) }
        return changes
    }

    package static func apply(_ changes: [ByteOrdered: JSON?], to content: Content) -> Content {
        guard !changes.isEmpty else { return content }
        return content.changing { object in
            // In one order, so that the same changes give the same text.
            for (key, value) in changes.sorted(by: { $0.key < $1.key }) { object[key.text] = value }
        }
    }

    /// Returns the record's content with what an item of an XFDF or FDF file changes in it.
    package static func merged(_ item: Content, into present: Content, pages: [PageFrame]) -> Content {
        guard item.readInPart == nil, present.readInPart == nil else { return present }
        let isComment = present.contentType == .comments
        guard !isComment, item.contentType != .comments else {
            guard isComment, item.contentType == .comments else { return isComment ? present : item }
            return apply(changedWords(of: item, in: present), to: present)
        }
        guard let file = asFile(present, pages) else { return item }
        var changes = changes(from: file, to: item)
        // A file of the PDF itself has no name; it is the same file if it has the same size.
        if present.attachmentID == nil, present["fileSize"] == item["fileSize"] {
            for key in ["fileAttachmentId", "fileSize"] { changes[ByteOrdered(key)] = nil }
        }
        if AnnotationKind(type: present["type"]?.string ?? "") == .commentMarker {
            // A marker is a note in these formats, and a marker again only with its comments.
            for key in ["type", "text", "icon"] { changes[ByteOrdered(key)] = nil }
        }
        return apply(changes, to: present)
    }

    /// Returns the change of a comment's text, in the form that it has; none if the words are the same.
    package static func changedWords(of item: Content, in present: Content) -> [ByteOrdered: JSON?] {
        guard let words = words(of: item), !String?.some(words).isExactly(self.words(of: present)) else { return [:] }
        let isPlain = present["text"]?.object == nil
        return [ByteOrdered("text"): isPlain ? .string(words) : ["format": "plain", "value": .string(words)]]
    }

    private static func words(of content: Content) -> String? {
        content["text"].flatMap(CommentText.init(json:))?.words
    }

    /// Returns a record's content as it reads in an XFDF file that it was written into.
    private static func asFile(_ content: Content, _ pages: [PageFrame]) -> Content? {
        let writer = XFDFWriter(pages: pages)
        let text = writer.begin() + writer.add(Record(id: "1", content: content), file: []) + writer.end()
        return (try? XFDFFile(Array(text.utf8), pages: pages))?.annotations.first?.content
    }
}
