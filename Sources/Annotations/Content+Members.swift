/// The members of a record that every merge treats alike.
extension Content {
    /// The members that say where an annotation is. A merge takes them all from one side, so that they fit each other.
    package static let placeMembers: Set = [
        "pageIndex", "bbox", "rects", "lines", "points", "startPoint", "endPoint", "callout",
    ]

    /// The members that programs and stores set on their own. A difference in them is not an edit.
    package static let stampMembers: Set = [
        "createdAt", "creatorName", "name", "v", "pdfObjectId", "isCommentThreadRoot", "updatedAt", "createdBy",
        "updatedBy",
    ]
}
