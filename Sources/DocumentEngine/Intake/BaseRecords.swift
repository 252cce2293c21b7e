import Annotations
import EngineCore
import Interchange

/// The records a document starts with: the PDF's own, and those of a file sent with it.
struct BaseRecords {
    private(set) var records: [Record]
    /// The parts of the file that were left out, and why.
    private(set) var errors: [String] = []
    private let pageCount: Int
    private var places: [ByteOrdered: Int] = [:]

    /// - Parameter own: the PDF's records; accepted unchecked.
    init(_ own: [Record], pageCount: Int) {
        records = own
        self.pageCount = pageCount
        for (place, record) in own.enumerated() { places[ByteOrdered(record.id)] = place }
    }

    /// - Parameter uploaded: the attachments that the document already has.
    mutating func add(_ file: SuppliedAnnotations, at moment: Timestamp, uploaded: Set<AttachmentID>) {
        let skipped = Set(file.skippedObjects.map(String.init))
        if !skipped.isEmpty {
            self = BaseRecords(records.filter { !skipped.contains($0.id) }, pageCount: pageCount)
        }
        errors += file.problems
        if let values = file.formFieldValues {
            errors += values.problems(with: records.formFieldValues).map(\.description)
        }
        for item in file.annotations + file.comments {
            let record = item.record(at: moment)
            if let problem = problem(of: record, uploaded) {
                errors.append("\(record.id): \(problem)")
            } else if let place = places[ByteOrdered(record.id)] {
                records[place] = record
            } else {
                places[ByteOrdered(record.id)] = records.count
                records.append(record)
            }
        }
    }

    private func problem(of record: Record, _ uploaded: Set<AttachmentID>) -> String? {
        guard Record.isValidID(record.id) else { return Record.idRule }
        guard record.createdBy?.isVisible != false, record.updatedBy?.isVisible != false else {
            return "the id of a user must not contain control or format characters"
        }
        if let root = record.content["rootId"]?.string, record.content.contentType == .comments,
            places[ByteOrdered(root)] == nil
        {
            return #""rootId" is not an annotation of this file or of the PDF"#
        }
        if let id = record.content.attachmentID, !uploaded.contains(id) {
            return "its attachment was not uploaded"
        }
        do {
            try record.content.validate(pageCount: pageCount)
            try record.content.checkAttachment(over: nil)
            return nil
        } catch { return "\(error)" }
    }
}

extension Sequence<Record> {
    /// The values of form fields by the names of the fields.
    var formFieldValues: [ByteOrdered: JSON] {
        let named = filter { $0.contentType == .formFields }.compactMap { record in
            record.content["name"]?.string.map { (ByteOrdered($0), record.content["value"] ?? .null) }
        }
        return Dictionary(named) { first, _ in first }
    }
}
