package import Annotations

/// One PDF on the server, with the data that the intake read from it.
package struct ServerDocument: Hashable, Sendable {
    /// An arbitrary string, never used as a path.
    package var id: String
    package var title: String
    /// Lower-case hex.
    package var pdfSHA256: String
    package var pdfBytes: Int64
    /// The file for tokens that may not see all records: without annotations, except links and empty form fields. nil
    /// for a document stored by an older server version; the file is then created when it is first needed.
    package var stripped: StoredPDF?
    package var createdAt: Timestamp
    /// The document's set of base records; overwriting the PDF creates a new one.
    package var base: Int64
    package var pages: [Page]

    package struct Page: Hashable, Sendable {
        /// The visible part of the sheet and its rotation.
        package var frame: PageFrame

        package init(_ frame: PageFrame) { self.frame = frame }

        /// Creates a page that shows its whole sheet, unrotated.
        package init(width: Double, height: Double) { self.init(PageFrame(width: width, height: height)) }

        /// As displayed, in points.
        package var width: Double { frame.displayedWidth }
        package var height: Double { frame.displayedHeight }
    }

    package init(
        id: String, title: String, pdfSHA256: String, pdfBytes: Int64, stripped: StoredPDF? = nil,
        createdAt: Timestamp, base: Int64 = 0, pages: [Page]
    ) {
        self.id = id
        self.title = title
        self.pdfSHA256 = pdfSHA256
        self.pdfBytes = pdfBytes
        self.stripped = stripped
        self.createdAt = createdAt
        self.base = base
        self.pages = pages
    }

    /// The file as uploaded.
    package var original: StoredPDF { StoredPDF(sha256: pdfSHA256, bytes: pdfBytes) }

    /// All files of the document.
    package var files: [StoredPDF] { [original] + (stripped.map { [$0] } ?? []) }

    /// Identifies this version of the document for clients: changes only when the document is overwritten. The base
    /// alone is not enough: a server restored from a backup may reuse its number.
    package var version: String { String(Fingerprint.of("\(base) \(pdfSHA256)").prefix(scalars: 16)) }

    /// Returns whether a document can be created under this id: 1 to 1,024 bytes without invisible characters. It
    /// appears in tokens and addresses.
    package static func isValidID(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= 1024 && id.isVisible
    }

    /// The rule for ids as part of an error.
    package static let idRule = "a document id must have 1 to 1,024 bytes and no control or format characters"
}

/// A PDF as stored.
package struct StoredPDF: Hashable, Sendable {
    /// Lower-case hex.
    package var sha256: String
    package var bytes: Int64

    package init(sha256: String, bytes: Int64) {
        self.sha256 = sha256
        self.bytes = bytes
    }
}

/// The parameters of a document list.
package struct DocumentQuery: Hashable, Sendable {
    package enum Order: String, Hashable, Sendable, CaseIterable {
        case createdAt = "created_at"
        case title
    }

    /// Selects titles that contain this text, ignoring the case of ASCII letters.
    package var title: String?
    package var order: Order
    package var descending: Bool
    package var offset: Int
    package var limit: Int

    package init(
        title: String? = nil, order: Order = .createdAt, descending: Bool = false, offset: Int = 0, limit: Int = 100
    ) {
        self.title = title
        self.order = order
        self.descending = descending
        self.offset = offset
        self.limit = limit
    }
}
