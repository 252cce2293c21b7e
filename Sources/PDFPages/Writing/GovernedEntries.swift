import Annotations

/// States which entries of an annotation's dictionary each member of its record governs. An edit changes the entries of
/// the members that it changed, and no others. docs/pdf-annotations.md shows the table.
struct GovernedEntries: Hashable {
    let member: String
    /// Keys without the slash; `BS/W` is an entry of the dictionary `BS`.
    let keys: [String]
    /// Whether the member is visible, so that the annotation is drawn anew when it changes.
    let isDrawn: Bool
    /// Whether its coordinates are those of its page.
    let isPlace: Bool
    /// nil: every kind.
    let kinds: Set<AnnotationKind>?

    private init(
        _ member: String, _ keys: [String], drawn: Bool = false, place: Bool = false,
        only kinds: [AnnotationKind]? = nil
    ) {
        self.member = member
        self.keys = keys
        isDrawn = drawn
        isPlace = place
        self.kinds = kinds.map(Set.init)
    }

    static func rules(for kind: AnnotationKind) -> [GovernedEntries] {
        var kind = kind
        if case .unknown = kind { kind = unknown }
        // The title of a form field is its name.
        return all.filter { $0.kinds?.contains(kind) ?? (kind != .formField || $0.member != "creatorName") }
    }

    /// Every kind without a name.
    private static let unknown = AnnotationKind.unknown("")
    private static let others: [AnnotationKind] = [
        .caret, .sound, .movie, .screen, .richMedia, .model3D, .projection, .watermark, .printersMark, .trapNetwork,
        unknown,
    ]
    private static let drawn: [AnnotationKind] = [.ink, .line, .rectangle, .ellipse, .polygon, .polyline]
    private static let framed: [AnnotationKind] = [.line, .rectangle, .ellipse, .polygon, .polyline]
    /// The text of a free text is drawn; that of a note opens in a window.
    private static let texts = ["Contents", "RC"]

    /// Members that earlier versions did not read: a record without one says nothing about it. `null` removes it.
    static let recent: Set = ["callout", "cloudyBorderInset"]

    static let all: [GovernedEntries] = [
        // Every kind
        GovernedEntries("bbox", ["Rect"], drawn: true, place: true),
        GovernedEntries("opacity", ["CA"], drawn: true),
        GovernedEntries("blendMode", [], drawn: true),
        GovernedEntries("creatorName", ["T"]),
        GovernedEntries("createdAt", ["CreationDate"]),
        GovernedEntries("updatedAt", ["M"]),
        GovernedEntries("name", ["NM"]),
        GovernedEntries("subject", ["Subj"]),
        GovernedEntries("flags", ["F"]),
        // Text
        GovernedEntries(
            "note", texts,
            only: AnnotationKind.markups + drawn + others + [.stamp, .image, .link, .redaction, .file, .formField]),
        GovernedEntries("text", texts, only: [.note, .comment, .commentMarker]),
        GovernedEntries("text", texts + ["DS"], drawn: true, only: [.text]),
        // Markup, notes, stamps
        GovernedEntries(
            "color", ["C"], drawn: true,
            only: AnnotationKind.markups + others + [.note, .comment, .commentMarker, .stamp, .file]),
        GovernedEntries("rects", ["QuadPoints"], drawn: true, place: true, only: AnnotationKind.markups + [.redaction]),
        GovernedEntries("icon", ["Name"], drawn: true, only: [.note, .comment, .file]),
        GovernedEntries("outlineColor", ["C"], drawn: true, only: [.redaction]),
        GovernedEntries("fillColor", ["IC"], drawn: true, only: [.redaction]),
        GovernedEntries("overlayText", ["OverlayText"], drawn: true, only: [.redaction]),
        GovernedEntries("repeatOverlayText", ["Repeat"], drawn: true, only: [.redaction]),
        GovernedEntries("stampType", ["Name"], drawn: true, only: [.stamp]),
        GovernedEntries("title", ["Name"], drawn: true, only: [.stamp]),
        GovernedEntries("subtitle", [], drawn: true, only: [.stamp]),
        GovernedEntries("imageAttachmentId", [], drawn: true, only: [.image]),
        GovernedEntries("rotation", ["Rotate"], drawn: true, only: [.text, .stamp, .image]),
        // Free text
        GovernedEntries("font", ["DA", "DS", "RC"], drawn: true, only: [.text]),
        GovernedEntries("fontSize", ["DA", "DS", "RC"], drawn: true, only: [.text]),
        GovernedEntries("fontColor", ["DA", "DS", "RC"], drawn: true, only: [.text]),
        GovernedEntries("fontStyle", ["DS", "RC"], drawn: true, only: [.text]),
        GovernedEntries("horizontalAlign", ["Q", "DS", "RC"], drawn: true, only: [.text]),
        GovernedEntries("verticalAlign", [], drawn: true, only: [.text]),
        GovernedEntries("backgroundColor", ["C"], drawn: true, only: [.text]),
        GovernedEntries("borderWidth", ["BS/W"], drawn: true, only: [.text, .link]),
        GovernedEntries("borderColor", [], drawn: true, only: [.text]),
        GovernedEntries("callout", ["CL", "LE", "RD", "IT"], drawn: true, place: true, only: [.text]),
        // Links
        GovernedEntries("borderColor", ["C"], drawn: true, only: [.link]),
        GovernedEntries("action", ["A", "Dest"], only: [.link]),
        // Ink and shapes
        GovernedEntries("strokeColor", ["C"], drawn: true, only: drawn),
        GovernedEntries("fillColor", ["IC"], drawn: true, only: framed),
        GovernedEntries("lineWidth", ["BS/W"], drawn: true, only: [.ink]),
        GovernedEntries("strokeWidth", ["BS/W"], drawn: true, only: framed),
        GovernedEntries("strokeDashArray", ["BS/S", "BS/D"], drawn: true, only: framed),
        GovernedEntries(
            "cloudyBorderIntensity", ["BE/S", "BE/I"], drawn: true, only: [.rectangle, .ellipse, .polygon]),
        GovernedEntries("cloudyBorderInset", ["RD"], drawn: true, only: [.rectangle, .ellipse]),
        GovernedEntries("lineCaps", ["LE"], drawn: true, only: [.line, .polyline]),
        GovernedEntries("lines", ["InkList", AnnotationNames.intensities], drawn: true, place: true, only: [.ink]),
        GovernedEntries("startPoint", ["L"], drawn: true, place: true, only: [.line]),
        GovernedEntries("endPoint", ["L"], drawn: true, place: true, only: [.line]),
        GovernedEntries("points", ["Vertices"], drawn: true, place: true, only: [.polygon, .polyline]),
    ]
}
