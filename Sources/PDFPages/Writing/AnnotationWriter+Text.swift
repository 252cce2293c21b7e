import Annotations

// Writes text kinds: text markup, notes, free text, stamps, images, links.
extension AnnotationWriter {
    mutating func markup(_ name: String) {
        entries["Subtype"] = .name(name)
        color("C", from: "color")
        text(from: "note")
        let all = json["rects"]?.array ?? []
        if all.count > AnnotationReader.maxNumbers / 8 { cut(AnnotationReader.tooManyBoxes) }
        let rects = all.prefix(AnnotationReader.maxNumbers / 8).compactMap(Rect.init(json:))
        let boxes = rects.isEmpty ? [json["bbox"].flatMap(Rect.init(json:))].compactMap(\.self) : rects
        entries["QuadPoints"] = .numbers(boxes.flatMap(frame.quad))
    }

    mutating func note() {
        entries["Subtype"] = .name("Text")
        entries["Name"] = .name(json["icon"]?.string.flatMap(AnnotationNames.icon) ?? "Note")
        color("C", from: "color")
        text(from: "text")
    }

    /// Writes the start of a thread that marks no words: a note, usually without text.
    mutating func marker() {
        entries["Subtype"] = .name("Text")
        entries["Name"] = .name("Comment")
        color("C", from: "color")
        text(from: "text")
    }

    mutating func freeText() {
        entries["Subtype"] = .name("FreeText")
        text(from: "text")
        let font = fontName
        entries["DA"] = .string(
            (fontInk.map(Decimals.text) + ["rg", "/\(font.isEmpty ? "Helv" : font)", Decimals.text(fontSize), "Tf"])
                .joined(separator: " "))
        color("C", from: "backgroundColor")
        border("borderWidth")
        if alignment > 0 { entries["Q"] = .number(Double(alignment)) }
        // `DA` cannot say that a text is bold or slanted.
        entries["DS"] = .string(textStyle)
        rotation()
        guard let callout = Callout(json) else { return }
        entries["IT"] = .name("FreeTextCallout")
        entries["CL"] = .numbers(callout.points.flatMap(frame.place))
        if let cap = callout.cap { entries["LE"] = .name(AnnotationNames.cap(cap)) }
        entries["Rect"] = .numbers(frame.corners(of: callout.outer))
        entries["RD"] = Margins(from: callout.outer, to: callout.inner).entry(on: frame)
    }

    private var fontName: String {
        (json["font"]?.string ?? "Helv").asName("-_")
    }
    private var fontSize: Double { (json["fontSize"]?.double ?? 12).clamped(to: 1...999) }
    private var fontInk: [Double] { Color.components(json["fontColor"]?.string ?? "") ?? [0, 0, 0] }
    private var alignment: Int {
        AnnotationNames.alignments.firstIndex(of: json["horizontalAlign"]?.string ?? "left") ?? 0
    }

    /// The style of a free text in CSS.
    var textStyle: String {
        TextStyle.text(
            font: fontName.isEmpty ? "Helvetica" : fontName, size: fontSize,
            color: Color.hexadecimal(fontInk) ?? "#000000",
            names: (json["fontStyle"]?.array ?? []).compactMap(\.string),
            alignment: AnnotationNames.alignments[alignment])
    }

    mutating func stamp() {
        entries["Subtype"] = .name("Stamp")
        let type = json["stampType"]?.string ?? "Custom"
        let title = (json["title"]?.string ?? "").asName(" -_.")
        entries["Name"] = .name(
            AnnotationNames.stamps.contains(type) || title.isEmpty ? type.asName(" -_.") : title)
        color("C", from: "color")
        text(from: "note")
        rotation()
    }

    /// PDF has no image annotation, so the image becomes a stamp.
    mutating func image() {
        entries["Subtype"] = .name("Stamp")
        entries["Name"] = .name("Image")
        text(from: "note")
        rotation()
    }

    private mutating func rotation() {
        if let degrees = json["rotation"]?.integer, (1..<360).contains(degrees) {
            entries["Rotate"] = .number(Double(degrees))
        }
    }

    mutating func link() {
        entries["Subtype"] = .name("Link")
        color("C", from: "borderColor")
        border("borderWidth")
        text(from: "note")
        guard let action = json["action"] else { return }
        if action["type"]?.string == "goTo", let page = action["pageIndex"]?.integer, (0...1_000_000).contains(page) {
            entries["Dest"] = .array([.number(Double(page)), .name("Fit")])
        } else {
            entries["A"] = LinkAction(action).map { .dictionary($0.entries) }
            if action["uri"]?.string?.isLonger(thanScalars: LinkAction.maxAddress) == true {
                cut("an address of more than \(LinkAction.maxAddress) characters")
            }
        }
    }

    /// Writes a redaction as a mark: the content below it stays.
    mutating func redaction() {
        markup("Redact")
        entries["C"] = nil
        color("C", from: "outlineColor")
        color("IC", from: "fillColor")
        string("OverlayText", from: "overlayText")
        if json["repeatOverlayText"]?.bool == true { entries["Repeat"] = .bool(true) }
    }

    /// Writes a file attachment without its file.
    mutating func attachedFile() {
        entries["Subtype"] = .name("FileAttachment")
        let icon = json["icon"]?.string
        entries["Name"] = .name(AnnotationNames.fileIcons.first { $0.value == icon }?.key ?? "PushPin")
        color("C", from: "color")
        text(from: "note")
    }

    /// Writes the preserved members of any other kind.
    mutating func other() -> Bool {
        let kept = json["postilla"]?["pdfSubtype"]?.string?.asName(" -_.")
        guard let name = AnnotationKind(of: json).pdfSubtype ?? kept, !name.isEmpty, name != "Widget" || isOwn,
            name != "Popup"
        else { return false }
        entries["Subtype"] = .name(name)
        color("C", from: "color")
        text(from: "note")
        return true
    }
}

extension String {
    /// The text with only what can stand in a name: letters, digits and some signs. qpdf writes names unchanged except for
    /// `#`, and characters that are not printable ASCII may be read differently.
    fileprivate func asName(_ signs: String) -> String {
        let kept = unicodeScalars.filter { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || signs.unicodeScalars.contains(scalar)
        }
        return String(String.UnicodeScalarView(kept))
    }
}
