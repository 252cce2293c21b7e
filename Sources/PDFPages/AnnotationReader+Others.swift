import Annotations

// Reads the kinds of which Instant JSON has no annotation, or one of few members.
extension AnnotationReader {
    /// Reads the members common to these kinds.
    ///
    /// - Parameter subtype: nil for none; one without a name in ISO 32000-2 is kept aside.
    mutating func named(_ subtype: String?) {
        if let kind = subtype.flatMap(AnnotationKind.init(pdfSubtype:)) {
            json["type"] = .string(kind.type)
        } else {
            aside["pdfSubtype"] = subtype.map { .string(cut($0, to: Self.maxWord, Self.tooLongName)) }
            if subtype == nil { note("no kind stored") }
        }
        json["note"] = contents.map(JSON.string)
        json["color"] = color("C")
    }

    /// ISO 32000-2, 12.5.6.23. Marks content that a redacting program would remove.
    mutating func redaction() {
        json["type"] = .string(AnnotationKind.redaction.type)
        json["note"] = contents.map(JSON.string)
        json["rects"] = .array(groups("QuadPoints", of: 8).compactMap { frame.box(around: $0)?.json })
        json["outlineColor"] = color("C")
        json["fillColor"] = color("IC")
        json["overlayText"] = text("OverlayText", limit: Self.maxNameLength).map(JSON.string)
        json["repeatOverlayText"] = source["Repeat"] == .bool(true) ? true : nil
    }

    /// Reads a widget. Its field's value is a record of its own, see ``FormField``: it needs another permission.
    mutating func formField() {
        json["type"] = .string(AnnotationKind.formField.type)
        json["note"] = contents.map(JSON.string)
        let field = FormField(of: source)
        json["formFieldName"] = field.name.map(JSON.string)
        aside["fieldType"] = field.type.map { .string($0.rawValue) }
    }

    /// Reads the name and size of a file attachment; the file stays in the PDF.
    mutating func attachedFile() {
        json["type"] = .string(AnnotationKind.file.type)
        json["note"] = contents.map(JSON.string)
        json["color"] = color("C")
        json["icon"] = .string(AnnotationNames.fileIcons[source["Name"].name ?? ""] ?? "pushPin")
        guard let file = source.dictionary("FS") else {
            json["fileName"] = text("FS", limit: Self.maxNameLength).map(JSON.string)
            return note(PDFAnnotation.noFile)
        }
        let name = text("UF", of: file, limit: Self.maxNameLength) ?? text("F", of: file, limit: Self.maxNameLength)
        json["fileName"] = name.map(JSON.string)
        json["description"] = text("Desc", of: file).map(JSON.string)
        guard let stream = EmbeddedFile.stream(of: file) else { return note(PDFAnnotation.noFile) }
        json["fileSize"] = source.file.embeddedSizes[stream].map { .number(JSONNumber($0)) }
    }
}

/// The form field of a widget (ISO 32000-2, 12.7.4), with what it inherits.
struct FormField {
    enum Kind: String { case text, checkbox, radio, button, combobox, listbox, signature }

    /// The partial names from the root on, joined with dots.
    private(set) var name: String?
    private(set) var type: Kind?
    /// One string, or several for a list; nil without a value.
    private(set) var value: JSON?

    init(of widget: PDFDictionary) {
        var (names, kind, flags, value): ([String], String?, UInt32?, PDFObject?) = ([], nil, nil, nil)
        var next: PDFDictionary? = widget
        // A hostile field may be its own parent.
        for _ in 0..<PageTree.maxDepth {
            guard let field = next else { break }
            if let part = field.text("T") { names.append(String(part.prefix(scalars: AnnotationReader.maxNameLength))) }
            kind = kind ?? field["FT"].name
            flags = flags ?? field["Ff"].number.flatMap { UInt32(exactly: $0) }
            if value == nil, field["V"] != .null { value = field["V"] }
            next = field.dictionary("Parent")
        }
        let name = names.reversed().joined(separator: ".")
        self.name = name.isEmpty ? nil : String(name.prefix(scalars: AnnotationReader.maxNameLength))
        type = Self.type(kind, flags ?? 0)
        let isPassword = kind == "Tx" && (flags ?? 0) & 1 << 13 != 0
        self.value = isPassword ? nil : Self.read(value, in: widget.file)
    }

    private static func type(_ name: String?, _ flags: UInt32) -> Kind? {
        func has(_ bit: UInt32) -> Bool { flags & 1 << (bit - 1) != 0 }
        return switch name {
        case "Tx": .text
        case "Btn": has(17) ? .button : has(16) ? .radio : .checkbox
        case "Ch": has(18) ? .combobox : .listbox
        case "Sig": .signature
        default: nil
        }
    }

    private static func read(_ value: PDFObject?, in file: ObjectDump) -> JSON? {
        func text(_ object: PDFObject) -> String? {
            (object.string ?? object.name).flatMap { text in
                text.isEmpty ? nil : String(text.prefix(scalars: AnnotationReader.maxTextLength))
            }
        }
        switch value {
        case .array(let items):
            let texts = items.prefix(1000).compactMap { text(file.resolve($0)) }
            return texts.isEmpty ? nil : .array(texts.map(JSON.string))
        case .dictionary: return "signed"
        case let value?: return text(value).map(JSON.string)
        case nil: return nil
        }
    }

    /// Returns the record of the value of a widget's field; nil for anything but a field with a name.
    ///
    /// It is a record of its own because it needs the permission `form-fields:view:all`, which the widget does not.
    ///
    /// - Parameter widget: The widget's record.
    static func value(of source: PDFDictionary, for widget: Record) -> Record? {
        guard source["Subtype"].name == "Widget" else { return nil }
        let field = FormField(of: source)
        guard let name = field.name else { return nil }
        var json = JSONObject()
        json["v"] = 1
        json["type"] = .string(Content.formFieldValueType)
        json["name"] = .string(name)
        json["value"] = field.value ?? .null
        return Record(id: Content.formFieldValueID(of: widget.id), content: Content(json))
    }
}

/// The file of a file attachment.
enum EmbeddedFile {
    /// Returns the stream of a file specification (ISO 32000-2, 7.11.4).
    static func stream(of file: PDFDictionary) -> ObjectID? {
        guard let streams = file.dictionary("EF") else { return nil }
        for key in ["UF", "F"] { if case .reference(let id)? = streams.entries[key] { return id } }
        return nil
    }
}
