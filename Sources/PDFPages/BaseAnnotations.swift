package import Annotations

/// The base layer: the annotations stored in a PDF, as records.
package struct BaseAnnotations: Hashable, Sendable {
    /// In page order, and within a page in file order.
    ///
    /// The id is the decimal object number, which the content repeats as `pdfObjectId`. An annotation written directly
    /// into its page has the id `p<page>a<index>`, both counted from 0: stable for the same file, and never a number.
    /// Creator and group are null. The member `postilla` holds what Instant JSON cannot express: `pdfSubtype` for a
    /// kind without a type, `inReplyTo` (a record id) and `replyType` (`group`), `state` and `stateModel`, `warning`,
    /// `readInPart` (``Content/readInPart``), and `pages` for an annotation that several pages list: an array of
    /// `{"pageIndex", "bbox"}`, the first page first, where `bbox` is given if it differs from the record's. A note that
    /// answers an annotation is a comment with that annotation as its root.
    package var records: [Record]
    /// The values of the form fields, one for each widget with a name, also where the field is empty: whether it has a
    /// value is itself part of the value. Their ids are derived from the widgets' (``Content/formFieldValueID(of:)``).
    package var values: [Record] = []
    package var warnings: [Warning]
    /// The geometry of each page, in page order.
    package var frames: [PageFrame]

    /// A missing or unusual part, and its place.
    package struct Warning: Hashable, Sendable, CustomStringConvertible {
        /// Counted from 0; nil for a warning about the whole file.
        package var pageIndex: Int?
        /// nil when no record could be created.
        package var record: Record.ID?
        /// A sentence without text from the file.
        package var text: String

        package var description: String {
            let place = pageIndex.map { "page \($0 + 1)" }
            let name = record.map { "annotation \($0)" }
            return [place, name, text].compactMap(\.self).joined(separator: ", ")
        }
    }
}

extension PDFTools {
    /// Returns the annotations of a file. A popup belongs to its parent and is not a record.
    package func annotations(of file: String) async throws -> BaseAnnotations {
        try annotations(in: try await dump(of: file))
    }

    /// Returns the annotations of a file, and whether its table of objects had to be made again: its end may be missing,
    /// or parts of two versions may have met in it.
    package func condition(of file: String) async throws -> (annotations: BaseAnnotations, isDamaged: Bool) {
        let (dump, isDamaged) = try await dumpWithCondition(of: file)
        return (try annotations(in: dump), isDamaged)
    }

    /// Returns the annotations of a file and writes its stripped copy, see ``strip(_:into:notes:)``: both from one
    /// reading, at the same time.
    package func annotations(
        of file: String, strippedInto target: String, notes: String
    ) async throws -> BaseAnnotations {
        let dump = try await dump(of: file)
        async let stripping: Void = strip(file, dump, into: target, notes: notes)
        let annotations = try annotations(in: dump)
        try await stripping
        return annotations
    }

    private func annotations(in dump: ObjectDump) throws -> BaseAnnotations {
        let tree = PageTree(dump, limit: limits.pages)
        try dump.checkTime()
        guard !tree.pages.isEmpty else { throw PDFError.damaged }
        var walk = AnnotationWalk(tree: tree, file: dump)
        try walk.walk()
        try dump.checkTime()
        return walk.found
    }
}
