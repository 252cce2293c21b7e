import Annotations

/// Converts Instant JSON to an annotation dictionary: the inverse of ``AnnotationReader``.
struct AnnotationWriter {
    let json: JSONObject
    let frame: PageFrame
    var entries: [String: PDFObject] = [:]
    /// Why only a part of the record is in ``entries``; nil if all of it is that PDF can express.
    private(set) var limit: String?
    /// Whether the annotation is the file's own. Form fields belong to the form, and are never created.
    let isOwn: Bool

    init(_ content: Content, on frame: PageFrame, isOwn: Bool = false) {
        json = content.withRemarkAsNote
        self.frame = frame
        self.isOwn = isOwn
    }

    /// - Returns: whether PDF has this kind.
    mutating func kind() -> Bool {
        common()
        switch AnnotationKind(of: json) {
        case .highlight: markup("Highlight")
        case .underline: markup("Underline")
        case .strikeOut: markup("StrikeOut")
        case .squiggly: markup("Squiggly")
        case .note: note()
        case .commentMarker: marker()
        case .text: freeText()
        case .ink: ink()
        case .line: line()
        case .rectangle: shape("Square")
        case .ellipse: shape("Circle")
        case .polygon: polygon("Polygon")
        case .polyline: polygon("PolyLine")
        case .stamp: stamp()
        case .image: image()
        case .link: link()
        case .comment:
            guard isOwn else { return false }
            note()
            state()
        case .redaction: redaction()
        case .file: attachedFile()
        case .caret, .formField, .sound, .movie, .screen, .richMedia, .model3D, .projection, .watermark, .printersMark,
            .trapNetwork, .unknown:
            return other()
        }
        return true
    }

    /// Writes a comment: a note at its own place, or at that of its root.
    mutating func comment(under root: Rect?) {
        common()
        if entries["Rect"] == nil {
            let place = root ?? Rect(left: 0, top: 0, width: 0, height: 0)
            let box = Rect(left: place.left, top: place.top, width: Content.noteSide, height: Content.noteSide)
            entries["Rect"] = .numbers(frame.corners(of: box))
        }
        note()
        entries["Name"] = .name(json["icon"]?.string.flatMap(AnnotationNames.icon) ?? "Comment")
        entries["RT"] = .name("R")
        entries["Contents"] = entries["Contents"] ?? .string("")
        state()
        // Programs show a state where it belongs, and not as a note on the page.
        if entries["State"] != nil, json["flags"] == nil { entries["F"] = .number(0b11110) }
    }

    private mutating func state() {
        let aside = json["postilla"]
        guard let state = AnnotationState(state: aside?["state"]?.string, model: aside?["stateModel"]?.string) else {
            return
        }
        entries["State"] = .string(state.title)
        entries["StateModel"] = .string(state.modelTitle)
    }

    mutating func cut(_ limit: String) { self.limit = self.limit ?? limit }

    /// Returns the text, cut to what is read again.
    private mutating func cut(_ text: String, to limit: Int, _ reason: String) -> String {
        guard text.isLonger(thanScalars: limit) else { return text }
        cut(reason)
        return String(text.prefix(scalars: limit))
    }

    // MARK: Members of every kind

    private mutating func common() {
        if let box = json["bbox"].flatMap(Rect.init(json:)) { entries["Rect"] = .numbers(frame.corners(of: box)) }
        if let opacity = json["opacity"]?.double, opacity < 1 { entries["CA"] = .number(max(0, opacity)) }
        string("T", from: "creatorName")
        string("NM", from: "name")
        string("Subj", from: "subject")
        date("CreationDate", from: "createdAt")
        date("M", from: "updatedAt")
        entries["F"] = .number(Double(flags))
    }

    private var flags: UInt32 {
        let set = (json["flags"]?.array ?? []).compactMap(\.string)
        let bits = AnnotationNames.flags.enumerated().reduce(UInt32(0)) { bits, flag in
            set.contains(flag.element) ? bits | 1 << flag.offset : bits
        }
        // Bit 3 is `Print`, the inverse of `noPrint`.
        return bits ^ 0b100
    }

    mutating func string(_ key: String, from member: String) {
        guard let text = json[member]?.string, !text.isEmpty else { return }
        entries[key] = .string(cut(text, to: AnnotationReader.maxNameLength, AnnotationReader.tooLongName))
    }

    private mutating func date(_ key: String, from member: String) {
        guard let moment = json[member]?.string.flatMap(Timestamp.init(iso8601:)) else { return }
        entries[key] = .string(moment.pdf)
    }

    /// Writes the text: a string, or `{format, value}`.
    mutating func text(from member: String) {
        guard let text = json[member].flatMap(CommentText.init(json:)) else { return }
        let words = text.words
        guard !words.isEmpty else { return }
        entries["Contents"] = .string(cut(words, to: AnnotationReader.maxTextLength, AnnotationReader.tooLongText))
        if let rich = StyledText(of: json, member), rich.differs(from: TextStyle(of: json)) {
            entries["RC"] = .string(rich.richText(in: TextStyle(of: json), css: css))
        }
    }

    /// The style of a free text.
    private var css: String? { AnnotationKind(of: json) == .text ? textStyle : nil }

    mutating func color(_ key: String, from member: String) {
        entries[key] = json[member]?.string.flatMap(Color.components).map { .array($0.map(PDFObject.number)) }
    }

    /// Writes the line or border width and, on request, the dashes.
    mutating func border(_ member: String, dashes: Bool = false) {
        var style: [String: PDFObject] = [:]
        if let width = json[member]?.double { style["W"] = .number(width.clamped(to: 0...1000)) }
        if dashes, let lengths = json["strokeDashArray"]?.array?.compactMap(\.double), !lengths.isEmpty {
            style["S"] = .name("D")
            if lengths.count > AnnotationReader.maxDashes { cut("more than \(AnnotationReader.maxDashes) dashes") }
            style["D"] = .numbers(lengths.prefix(AnnotationReader.maxDashes).map { $0.clamped(to: 0...9999) })
        }
        if !style.isEmpty { entries["BS"] = .dictionary(style) }
    }
}

extension Content {
    /// The members, with the text of a kind that has a note but no text as its note: earlier versions of this program
    /// put the text there.
    var withRemarkAsNote: JSONObject {
        var json = object
        let kind = AnnotationKind(of: json)
        switch kind {
        case .note, .text, .comment, .commentMarker: break
        case _ where kind.isMarkup: break
        default: if let text = json["text"], CommentText(json: text) != nil { json["note"] = text }
        }
        return json
    }
}

extension PDFObject {
    /// The object with numbers that PDF can write: those that would need an exponent are rounded.
    var plain: PDFObject {
        switch self {
        case .number(let value): JSONNumber(value).source.contains(scalar: "e") ? .rounded(value) : self
        case .array(let items): .array(items.map(\.plain))
        case .dictionary(let entries): .dictionary(entries.mapValues(\.plain))
        default: self
        }
    }

    /// Rounds to four decimals, more than paper shows, and clamps to ±1,000,000.
    package static func numbers(_ values: [Double]) -> PDFObject { .array(values.map(PDFObject.rounded)) }

    package static func rounded(_ value: Double) -> PDFObject {
        guard value.isFinite else { return .number(0) }
        return .number((value.clamped(to: -1_000_000...1_000_000) * 10_000).rounded() / 10_000)
    }
}

extension Comparable {
    func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}

extension Color {
    /// Converts `#rrggbb` to three components from 0 to 1.
    package static func components(_ text: String) -> [Double]? {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
            let value = UInt32(text.dropFirst(scalars: 1), radix: 16)
        else { return nil }
        return [value >> 16, value >> 8 & 255, value & 255].map { Double($0) / 255 }
    }
}
