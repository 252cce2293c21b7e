import Annotations
import Interchange
import Screen

/// Writes a layer as one text, record by record: annotations page by page, then comments, then the values of form fields
/// and attached files.
protocol LayerExporter {
    /// What a format writes besides annotations and comments. The exporter is asked before anything is fetched for it.
    static var contents: ExportContents { get }

    mutating func begin() -> PrintableText
    /// - Parameters:
    ///   - root: The annotation that a comment belongs to; nil when it is not visible.
    ///   - file: The bytes of a file attachment; nil unless `contents` has `filesInRecords` and they are known.
    /// - Returns: Empty for a record that the format cannot hold.
    mutating func add(_ record: Record, under root: Record?, file: [UInt8]?) async throws -> PrintableText
    /// Adds a file that records reference; called only with `filesAtEnd`.
    mutating func add(_ file: [UInt8], as id: AttachmentID) -> PrintableText
    mutating func end() -> PrintableText
}

/// What a format writes besides annotations and comments.
struct ExportContents: OptionSet {
    let rawValue: Int

    /// The bytes of a file attachment, inside its record.
    static let filesInRecords = ExportContents(rawValue: 1)
    /// All files that records reference, after the records.
    static let filesAtEnd = ExportContents(rawValue: 2)
    static let formFieldValues = ExportContents(rawValue: 4)
    /// Comments only under their annotation.
    static let rootsOnly = ExportContents(rawValue: 8)
    /// What annotations say, rather than what they are: it cannot be read back.
    static let words = ExportContents(rawValue: 32)
    /// The groups of records.
    static let groups = ExportContents(rawValue: 16)
}

extension LayerExporter {
    static var contents: ExportContents { [] }

    func add(_ file: [UInt8], as id: AttachmentID) -> PrintableText { "" }
}

extension InstantJSONWriter: LayerExporter {
    static var contents: ExportContents { [.filesAtEnd, .formFieldValues, .groups] }

    func begin() -> PrintableText { PrintableText(json: begin()) }

    mutating func add(_ record: Record, under root: Record?, file: [UInt8]?) -> PrintableText {
        PrintableText(json: add(record))
    }

    mutating func add(_ file: [UInt8], as id: AttachmentID) -> PrintableText { PrintableText(json: add(file, as: id)) }

    func end() -> PrintableText { PrintableText(json: end()) }
}

extension XFDFWriter: LayerExporter {
    static var contents: ExportContents { [.filesInRecords, .rootsOnly] }

    func begin() -> PrintableText { PrintableText(xml: begin()) }

    func add(_ record: Record, under root: Record?, file: [UInt8]?) -> PrintableText {
        PrintableText(xml: add(record, under: root, file: file))
    }

    func end() -> PrintableText { PrintableText(xml: end()) }
}
