package import Annotations

/// The annotations a PDF itself holds, as records: the base layer.
package struct BaseAnnotations: Hashable, Sendable {
    /// In order of page, and on a page in the file's order.
    ///
    /// The id is the decimal object number, also in the content as `pdfObjectId`. An annotation written into its
    /// page without a number of its own is `p<page>a<index>`, both counted from 0: the same each time the same
    /// file is read, and never a number. Creator and group are null. What no member of Instant JSON can say is
    /// in the member `postilla`: `pdfSubtype` for a kind without a type, `inReplyTo` (a record id), `warning`.
    package var records: [Record]
    package var warnings: [Warning]
    /// How each page is shown, in order.
    package var frames: [PageFrame]

    /// Something that is missing or odd, with where it was met.
    package struct Warning: Hashable, Sendable, CustomStringConvertible {
        /// Counted from 0; nil when it is about the file.
        package var pageIndex: Int?
        /// nil when there was nothing to make a record of.
        package var record: Record.ID?
        /// A sentence of ours: it quotes nothing from the file.
        package var text: String

        package var description: String {
            let place = pageIndex.map { "page \($0 + 1)" }
            let name = record.map { "annotation \($0)" }
            return [place, name, text].compactMap(\.self).joined(separator: ", ")
        }
    }
}

extension PDFTools {
    /// The annotations of a file. A popup is no record: it belongs to its parent.
    package func annotations(of file: String) async throws -> BaseAnnotations {
        let dump = try await dump(of: file)
        let tree = PageTree(dump, limit: limits.pages)
        guard !tree.pages.isEmpty else { throw PDFError.damaged }
        var walk = AnnotationWalk(tree: tree, file: dump)
        try walk.walk()
        return walk.found
    }
}
