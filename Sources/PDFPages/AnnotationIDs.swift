import Annotations

/// The record id of each annotation in a file: the number of its object or, in a stripped file, whose objects are
/// renumbered, the id that the annotation had in the original.
struct AnnotationIDs {
    private var originals: [ObjectID: Record.ID] = [:]

    init(_ file: ObjectDump) {
        for id in file.ids where file.mentions(StrippedPDF.idKey, in: id) {
            originals[id] = Self.original(file.object(id).dictionary)
        }
    }

    /// - Parameters:
    ///   - position: The place in the page's list, counted from 0; identifies an annotation that is not an object.
    ///   - page: The index of the page.
    func id(of entry: PDFObject, at position: Int, page: Int) -> Record.ID {
        if case .reference(let id) = entry { return self.id(id) }
        return Self.original(entry.dictionary) ?? "p\(page)a\(position)"
    }

    /// Returns the id of an entry that is not a reference, given as JSON.
    func id(of entry: JSON, at position: Int, page: Int) -> Record.ID {
        entry[StrippedPDF.idKey]?.string.map { PDFObjectReader.meaning(of: Array($0.utf8)[...]).string ?? $0 }
            ?? "p\(page)a\(position)"
    }

    func id(_ object: ObjectID) -> Record.ID { originals[object] ?? "\(object.number)" }

    private static func original(_ annotation: [String: PDFObject]?) -> Record.ID? {
        annotation?[String(StrippedPDF.idKey.dropFirst(scalars: 1))]?.string
    }
}
