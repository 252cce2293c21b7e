/// The members of a content that the rules for writes need, found in one pass over its text; the rest is skipped.
/// Building the whole tree and writing it again took longer than everything else in a decision.
package struct ContentOutline {
    package private(set) var type: String?
    package private(set) var rootID: String?
    package private(set) var creatorName: JSON?
    /// Whether the content says that the annotation was created for its comments.
    package private(set) var isCommentThreadRoot = false
    /// The values of the members that an edit cannot change.
    private(set) var origin = Origin()
    /// Whether the content names the users who created or changed the record. Only the server may say that.
    package private(set) var namesUsers = false
    /// The value of `type`, even if it is not a text.
    private(set) var typeValue: JSON?
    private(set) var aside: JSON?
    private var version: Int64?
    private var pageIndex: Int64?
    private var hasBox = false
    private var hasText = false
    /// The byte range of the value of `creatorName`.
    private var creatorPlace: Range<Int>?
    private let bytes: [UInt8]

    package init(_ content: Content) {
        bytes = Array(content.text.utf8)
        var reader = JSONReader(checked: bytes)
        // The text was checked on creation; reading stops at invalid text from a broken store.
        try? reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "type":
                typeValue = try reader.value()
                type = typeValue?.string
            case "v": version = try reader.value().integer
            case "pageIndex": pageIndex = try reader.value().integer
            case "bbox": hasBox = Rect(json: try reader.value()) != nil
            case "isCommentThreadRoot":
                origin.threadMark = try reader.value()
                isCommentThreadRoot = origin.threadMark?.bool == true
            case "rootId":
                origin.rootID = try reader.value()
                rootID = origin.rootID?.string
            case "createdAt": origin.createdAt = try reader.value()
            case "createdBy", "updatedBy":
                namesUsers = true
                try reader.skip()
            case "postilla": aside = try reader.value()
            case "text":
                let text = try reader.value()
                hasText = text.string != nil || text["value"]?.string != nil
            case "creatorName":
                let start = reader.offset
                creatorName = try reader.value()
                origin.creatorName = creatorName
                creatorPlace = start..<reader.offset
            default: try reader.skip()
            }
        }
    }

    /// See ``Content/contentType``.
    package var contentType: ContentType { rootID == nil ? typeAlone : .comments }

    /// The content type of a record with this `type` and without a root.
    var typeAlone: ContentType {
        if type == "pspdfkit/comment" { return .comments }
        return type?.begins(with: "pspdfkit/form-field") == true ? .formFields : .annotations
    }

    /// The state that a comment sets.
    package var state: AnnotationState? { contentType == .comments ? AnnotationState(aside: aside) : nil }

    /// Whether both are annotations, or comments of the same thread: an edit must not change that.
    package func isSameKind(as other: ContentOutline) -> Bool {
        contentType == other.contentType && rootID.isExactly(other.rootID)
    }

    /// See ``Content/validate(pageCount:maximumBytes:)``.
    package func validate(pageCount: Int?, maximumBytes: Int) throws(InvalidContent) {
        guard bytes.count <= maximumBytes else { throw .tooLarge(bytes: bytes.count, limit: maximumBytes) }
        let isComment = contentType == .comments
        guard isComment || type?.isEmpty == false else { throw .missingType }
        guard let version, version == 1 || version == 2 else { throw .badVersion }
        if isComment {
            guard hasText else { throw .missingText }
            return
        }
        guard let pageIndex, pageIndex >= 0, pageIndex < Int64(pageCount ?? 1_000_000) else { throw .badPageIndex }
        guard hasBox else { throw .badBox }
    }

    /// Returns the content with this creator name, or with none. Text that already has it is unchanged; otherwise only
    /// that member is rewritten.
    package func authored(_ content: Content, by name: String?) -> Content {
        guard creatorName != name.map(JSON.string) else { return content }
        guard let name else { return content.changing { $0["creatorName"] = nil } }
        let value = JSON.string(name).text.utf8
        var new: [UInt8] = []
        new.reserveCapacity(bytes.count + value.count + 20)
        if let creatorPlace {
            new += bytes[..<creatorPlace.lowerBound]
            new += value
            new += bytes[creatorPlace.upperBound...]
        } else {
            guard bytes.count > 2, bytes.last == UInt8(ascii: "}") else {
                return content.changing { $0["creatorName"] = .string(name) }
            }
            new += bytes[..<(bytes.count - 1)]
            new += #","creatorName":"#.utf8
            new += value
            new.append(UInt8(ascii: "}"))
        }
        return Content(checked: String(decoding: new, as: UTF8.self))
    }
}
