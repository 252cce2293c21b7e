import Annotations
import Screen

/// A layer as a table for spreadsheets (RFC 4180): a line of names, then one record per line, including comments.
struct CSVWriter: LayerExporter {
    var words: MarkedWords
    /// The comments under an annotation.
    let thread: (Record.ID) throws -> [Record]

    static let columns = [
        "id", "under", "page", "kind", "author", "created", "changed", "group", "words", "text", "state",
    ]

    static var contents: ExportContents { [.groups, .words] }

    mutating func begin() -> PrintableText { Self.line(Self.columns) }

    mutating func end() -> PrintableText { "" }

    mutating func add(_ record: Record, under root: Record?, file: [UInt8]?) async throws -> PrintableText {
        let annotation = Annotation(record)
        // A comment has the state that it sets, an annotation the one that it shows.
        let state =
            record.contentType == .comments ? annotation.state : AnnotationStates(try thread(record.id)).review
        return Self.line([
            record.id, record.content["rootId"]?.string ?? "", annotation.pageIndex.map { "\($0 + 1)" } ?? "",
            annotation.kind.name, annotation.author ?? record.createdBy ?? "", annotation.createdAt?.iso8601 ?? "",
            annotation.updatedAt?.iso8601 ?? "", record.group ?? "", await words.of(annotation) ?? "", annotation.text,
            state?.rawValue ?? "",
        ])
    }

    private static func line(_ fields: [String]) -> PrintableText {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    /// Quotes the field if necessary. A text that a spreadsheet would read as a formula gets a leading ', because it
    /// may come from another person.
    private static func field(_ text: String) -> PrintableText {
        let isFormula = text.unicodeScalars.first.map("=+-@\t\r".unicodeScalars.contains) == true
        let safe = isFormula ? "'" + text : text
        guard safe.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" || $0.isLineEnd }) else { return "\(safe)" }
        return "\"\(safe.replacing(scalars: "\"", with: "\"\""))\""
    }
}
