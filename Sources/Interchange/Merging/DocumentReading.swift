package import Annotations

/// The annotations and comments of a document, as one file or one layer has them.
package struct DocumentReading: Sendable {
    package enum Source: Sendable {
        /// A PDF: the id of a record is the number of its object, and its name is the member `name`.
        case pdf
        /// An XFDF or FDF file: the id of a record is its name. Such a file holds less than a record.
        case formsData
        /// Instant JSON or a layer: the id of a record is also its name in a PDF.
        case records
    }

    package var records: [Record]
    package var source: Source
    /// Whether the ids are also those of the document that it is compared with: a PDF that begins with all its bytes,
    /// or records of the same layer.
    package var sharesIDs: Bool
    /// Whether its annotations were found again by their words in another edition, so that places are not exact.
    package var isAligned: Bool
    /// Whether ids are also names, whatever the source: those that an earlier comparison gave to new records.
    package var idsAreNames: Bool

    package init(
        _ records: [Record], from source: Source, sharesIDs: Bool = false, isAligned: Bool = false,
        idsAreNames: Bool = false
    ) {
        self.records = records
        self.source = source
        self.sharesIDs = sharesIDs
        self.isAligned = isAligned
        self.idsAreNames = idsAreNames
    }

    /// The source whose rule says what a name is.
    var namingSource: Source { idsAreNames ? .records : source }
}

/// What of a record tells whether another one is the same annotation.
struct RecordFacts {
    let id: Record.ID
    let record: Record
    let page: Int?
    let author: String?
    let text: String
    let created: Timestamp?
    let isReply: Bool
    /// The kind; markers and comments are notes in most files.
    let family: String
    private let box: Rect?
    private let rects: [Rect]
    /// The annotation that a reply answers.
    let root: Record.ID?

    init(_ record: Record) {
        self.record = record
        id = record.id
        let annotation = Annotation(record)
        (page, author, text) = (annotation.pageIndex, annotation.author, annotation.text)
        (created, box, rects) = (annotation.createdAt, annotation.box, annotation.rects)
        let aside = record.content["postilla"]
        let isGroup = aside?["replyType"]?.string == "group"
        let isNote = [.note, .comment].contains(annotation.kind)
        root = annotation.rootID ?? (isNote && !isGroup ? aside?["inReplyTo"]?.string : nil)
        isReply = root != nil
        family = isReply ? "reply" : annotation.kind == .commentMarker ? AnnotationKind.note.type : annotation.kind.type
    }

    /// Whether both are at the same place. Edges differ by at most `distance` points.
    func isNear(_ other: RecordFacts, within distance: Double) -> Bool {
        guard page == other.page else { return false }
        guard let box, let otherBox = other.box else { return box == nil && other.box == nil }
        guard Self.isNear(box, otherBox, within: distance) else { return false }
        // The lines of a text markup may have another form; that is a change, not another annotation.
        return rects.isEmpty || other.rects.isEmpty
            || zip(rects, other.rects).allSatisfy { Self.isNear($0, $1, within: distance) }
    }

    private static func isNear(_ one: Rect, _ other: Rect, within distance: Double) -> Bool {
        // Numbers in a PDF are rounded.
        let distance = distance + 0.001
        return abs(one.left - other.left) <= distance && abs(one.top - other.top) <= distance
            && abs(one.right - other.right) <= distance && abs(one.bottom - other.bottom) <= distance
    }

    /// The names by which a file may know the record.
    func names(in source: DocumentReading.Source) -> [String] {
        let name = record.content["name"]?.string
        return (source == .pdf ? [name] : [name, id]).compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
    }
}
