public import Annotations
public import Authorization

// Names of the previous version, for one version.

extension InstantDocumentDescriptor {
    @available(*, deprecated, message: "use pdfURL")
    public var pdfFile: String? { pdfPath }
}

extension InstantDocument {
    @available(*, deprecated, renamed: "denial(of:on:)")
    public func problem(with operations: RecordOperations, on id: Record.ID) throws(InstantError) -> String? {
        try denial(of: operations, on: id)?.description
    }
}

extension InstantEvent {
    @available(*, deprecated, renamed: "didMissEvents")
    public static var refresh: InstantEvent { .didMissEvents }
}

extension Content {
    @available(*, deprecated, renamed: "note(onPage:at:text:)")
    public static func note(page: Int, at corner: Point, text: String) -> Content {
        note(onPage: page, at: corner, text: text)
    }

    @available(*, deprecated, renamed: "markup(_:onPage:rects:)")
    public static func markup(_ kind: AnnotationKind, page: Int, rects: [Rect]) -> Content? {
        MarkupKind(kind).flatMap { rects.isEmpty ? nil : markup($0, onPage: page, rects: rects) }
    }
}
