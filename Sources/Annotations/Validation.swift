/// The reason why a record cannot be created or replaced (server: 422 `invalid`).
public enum InvalidContent: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLarge(bytes: Int, limit: Int)
    case missingType
    case badVersion
    case badPageIndex
    case badBox
    case missingText
    case badAttachmentName
    /// Only a part of the annotation is known: an edit would remove the rest of it. The value says why.
    case readInPart(String)

    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "the record has \(bytes) bytes; the limit is \(limit)"
        case .missingType: #""type", such as "pspdfkit/note", is missing"#
        case .badVersion: #""v" must be 1 or 2"#
        case .badPageIndex: #""pageIndex" must be a whole number from 0 to the last page"#
        case .badBox: #""bbox" must be [left, top, width, height] in points"#
        case .missingText: #""text" is missing in a comment"#
        case .badAttachmentName:
            #""imageAttachmentId" must be the SHA-256 of the file, as 64 lower-case hexadecimal digits"#
        case .readInPart(let why):
            "only a part of the annotation could be read (\(why)), and an edit would remove the rest; edit it in the program "
                + "that made it"
        }
    }
}

extension Content {
    /// The default limit of a record, 1 MB.
    public static let maximumBytes = 1 << 20

    /// Checks what create and replace require; every other member is optional. Records read from a PDF are exempt: they
    /// are stored as far as they could be read.
    ///
    /// - Parameter pageCount: The number of pages of the document, if known.
    package func validate(pageCount: Int? = nil, maximumBytes: Int = Content.maximumBytes) throws(InvalidContent) {
        try ContentOutline(self).validate(pageCount: pageCount, maximumBytes: maximumBytes)
    }
}
