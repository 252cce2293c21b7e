/// Why a record cannot be created or replaced as it is (server: 422 `invalid`).
public enum InvalidContent: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLarge(bytes: Int, limit: Int)
    case missingType
    case badVersion
    case badPageIndex
    case badBox
    case missingText

    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "the record has \(bytes) bytes; the limit is \(limit)"
        case .missingType: #""type" is missing: it names the kind, such as "pspdfkit/note""#
        case .badVersion: #""v" must be 1 or 2"#
        case .badPageIndex: #""pageIndex" must be a whole number from 0 to the last page"#
        case .badBox: #""bbox" must be [left, top, width, height] in points"#
        case .missingText: #""text" is missing: a comment needs one"#
        }
    }
}

extension Content {
    /// At most 1 MB a record, by default.
    public static let maximumBytes = 1 << 20

    /// Checks what create and replace insist on; every other member may be missing. Records read from a PDF are
    /// exempt: they are kept as far as they could be read.
    ///
    /// - Parameter pageCount: pages of the document, when known.
    public func validate(pageCount: Int? = nil, maximumBytes: Int = Content.maximumBytes) throws(InvalidContent) {
        try ContentOutline(self).validate(pageCount: pageCount, maximumBytes: maximumBytes)
    }
}
