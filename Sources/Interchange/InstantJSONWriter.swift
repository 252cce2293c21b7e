package import Annotations

/// Writes a whole document as Instant JSON incrementally, so that a layer need not fit in memory: annotations first,
/// then comments and the values of form fields,
/// one record per line, then the files that they reference.
///
/// A record is written as its content plus `id`, and `createdBy`, `updatedBy` and `group` if present.
package struct InstantJSONWriter {
    private enum Section: String, Comparable {
        case annotations, comments, formFieldValues, attachments

        static func < (one: Section, other: Section) -> Bool { one.place < other.place }
        private var place: Int { Self.order.firstIndex(of: self) ?? 0 }
        private static let order: [Section] = [.annotations, .comments, .formFieldValues, .attachments]

        var brackets: (open: String, close: String) { self == .attachments ? ("{", "}") : ("[", "]") }
    }

    private var section: Section?

    package init() {}

    package func begin() -> String { #"{"format":"\#(InstantJSONFile.format)""# }

    /// - Precondition: annotations come before comments, these before the values of form fields, and all before files.
    package mutating func add(_ record: Record) -> String {
        switch record.contentType {
        case .comments: add(Self.item(record).text, to: .comments)
        case .formFields: add(record.content.text, to: .formFieldValues)
        case .annotations: add(Self.item(record).text, to: .annotations)
        }
    }

    /// Adds a file that records reference.
    package mutating func add(_ file: [UInt8], as id: AttachmentID) -> String {
        add(
            #""\#(id)":{"binary":"\#(Base64.encode(file))","contentType":"\#(Self.type(of: file))"}"#, to: .attachments)
    }

    private mutating func add(_ item: String, to wanted: Section) -> String {
        precondition(section.map { $0 <= wanted } ?? true, "write annotations, comments, form field values, files")
        defer { section = wanted }
        if section == wanted { return ",\n" + item }
        let closing =
            section.map { "\n" + $0.brackets.close } ?? (wanted == .annotations ? "" : ",\n\"annotations\":[]")
        return closing + ",\n\"\(wanted.rawValue)\":\(wanted.brackets.open)\n" + item
    }

    package func end() -> String {
        section.map { "\n\($0.brackets.close)}\n" } ?? ",\n\"annotations\":[]}\n"
    }

    /// Detects the media type from the file's first bytes.
    private static func type(of file: [UInt8]) -> String {
        if file.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if file.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if file.starts(with: "%PDF-".utf8) { return "application/pdf" }
        return "application/octet-stream"
    }

    private static func item(_ record: Record) -> JSON {
        var item = JSONObject()
        item["id"] = .string(record.id)
        for member in record.content.object.members where !InstantJSONFile.envelope.contains(member.key) {
            item[member.key] = member.value
        }
        item["createdBy"] = record.createdBy.map(JSON.string)
        item["updatedBy"] = record.updatedBy.map(JSON.string)
        item["group"] = record.group.map(JSON.string)
        return .object(item)
    }
}
