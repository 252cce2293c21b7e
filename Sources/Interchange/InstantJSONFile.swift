package import Annotations

/// A parsed Instant JSON file of a whole document (vendor: "Instant JSON").
///
/// The content of annotations is preserved. Other members of the file, which have no place in a layer, are told in
/// ``problems``.
package struct InstantJSONFile: Hashable, Sendable {
    package static let format = "https://pspdfkit.com/instant-json/v1"

    /// Members of the record, not of its content.
    static let envelope: Set = ["id", "createdBy", "updatedBy", "group"]

    package struct Item: Hashable, Sendable {
        /// nil if the file has none.
        package var id: Record.ID?
        /// nil if missing; `.some(nil)` for the null group.
        package var group: String??
        package var createdBy: String?
        package var updatedBy: String?
        package var content: Content
        /// The file of a file attachment, if it is in the annotation itself; see ``nameFile(_:)``.
        package var file: [UInt8]?
    }

    /// The value of a form field, which comes with the PDF and cannot be changed.
    package struct FormFieldValue: Hashable, Sendable {
        package var name: String
        /// A string, an array of strings for a list, or null.
        package var value: JSON
    }

    /// Returns an annotation or comment that another kind of file has.
    package static func item(_ id: Record.ID, _ content: Content) -> Item { Item(id: id, content: content) }

    package private(set) var annotations: [Item] = []
    package private(set) var comments: [Item] = []
    package private(set) var formFieldValues: [FormFieldValue] = []
    /// Object numbers of the PDF's own annotations that the document no longer has.
    package private(set) var skippedObjects: [Int64] = []
    /// Attached files, keyed by the ids that records use. The ids are not verified against the content.
    package private(set) var attachments: [AttachmentID: [UInt8]] = [:]

    /// Members of the file that are left out.
    package private(set) var problems: [FileProblem] = []

    /// - Throws: ``JSONError`` with the position; the whole file is then rejected.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        var problems: [FileProblem] = []
        var reader = JSONReader(bytes)
        var isInstantJSON = false
        var (annotations, comments): ([Item], [Item]) = ([], [])
        var skippedObjects: [Int64] = []
        var attachments: [AttachmentID: [UInt8]] = [:]
        var values: [FormFieldValue] = []
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "format":
                guard try reader.string().isExactly(Self.format) else {
                    throw reader.error(.wrongType(#""format" to be "\#(Self.format)""#))
                }
                isInstantJSON = true
            case "annotations": annotations = try Self.items(&reader)
            case "comments": comments = try Self.items(&reader)
            case "formFieldValues":
                let left = try Self.take(&values, &reader)
                if left > 0 { problems.append(FileProblem(key, "\(left) left out: without a name")) }
            case "skippedPdfObjectIds":
                try reader.array { (reader: inout JSONReader) throws(JSONError) in
                    skippedObjects.append(try reader.integer())
                }
            case "attachments":
                try reader.object { (name: String, reader: inout JSONReader) throws(JSONError) in
                    let bytes = try Self.file(&reader)
                    if let id = AttachmentID(name) { attachments[id] = bytes }
                }
            default:
                if let problem = try Self.problem(with: key, &reader), problems.count < 100 { problems.append(problem) }
            }
        }
        try reader.end()
        self.problems = problems
        guard isInstantJSON else { throw JSONError(.missing("format"), at: 0) }
        (self.annotations, self.comments, self.skippedObjects) = (annotations, comments, skippedObjects)
        (self.attachments, formFieldValues) = (attachments, values)
    }

    /// - Returns: the number of entries that are not values of a named field.
    private static func take(
        _ values: inout [FormFieldValue], _ reader: inout JSONReader
    ) throws(JSONError) -> Int {
        var left = 0
        try reader.array { (reader: inout JSONReader) throws(JSONError) in
            guard case .object = try reader.peek() else {
                left += 1
                return try reader.skip()
            }
            let object = try Content(from: &reader).object
            guard let name = object["name"]?.string else { return left += 1 }
            values.append(FormFieldValue(name: name, value: object["value"] ?? .null))
        }
        return left
    }

    /// Skips a member that a layer has no place for.
    ///
    /// - Returns: nil if it is empty.
    private static func problem(with key: String, _ reader: inout JSONReader) throws(JSONError) -> FileProblem? {
        var count = 0
        if case .array = try reader.peek() {
            try reader.array { (reader: inout JSONReader) throws(JSONError) in
                count += 1
                try reader.skip()
            }
            guard count > 0 else { return nil }
        } else {
            try reader.skip()
        }
        let names = [
            "formFields": "form fields are part of the PDF", "bookmarks": "bookmarks are not part of a layer",
            "pdfId": "the file's id is not compared",
        ]
        let number = count > 0 ? "\(count) left out: " : ""
        // The id of the PDF holds nothing that could be lost.
        return FileProblem(key, number + (names[key] ?? "not part of a layer"), isSkipped: key != "pdfId")
    }

    /// `{"binary": "…", "contentType": "image/png"}`
    private static func file(_ reader: inout JSONReader) throws(JSONError) -> [UInt8] {
        var bytes: [UInt8]?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            guard key == "binary" else { return try reader.skip() }
            bytes = Base64.decode(try reader.string())
            guard bytes != nil else { throw reader.error(.wrongType(#""binary" to be base64"#)) }
        }
        guard let bytes else { throw reader.error(.missing("binary")) }
        return bytes
    }

    private static func items(_ reader: inout JSONReader) throws(JSONError) -> [Item] {
        var items: [Item] = []
        try reader.array { (reader: inout JSONReader) throws(JSONError) in
            guard case .object = try reader.peek() else { throw reader.error(.wrongType("an object")) }
            let start = reader.offset
            // Nesting depth counts from the record, as on a server.
            items.append(try Item(try Content(from: &reader), at: start))
        }
        return items
    }
}

extension InstantJSONFile.Item {
    /// Names the file by its hash in the content.
    ///
    /// - Returns: the name and the file; nil if the annotation has none in itself.
    package mutating func nameFile(_ hash: ([UInt8]) -> String) -> (AttachmentID, [UInt8])? {
        guard let file, let id = AttachmentID(hash(file)) else { return nil }
        content = content.changing {
            $0["fileAttachmentId"] = .string(id.hex)
            $0["fileSize"] = .number(JSONNumber(Int64(file.count)))
        }
        self.file = nil
        return (id, file)
    }

    fileprivate init(_ whole: Content, at start: Int) throws(JSONError) {
        let object = whole.object
        switch object["id"] {
        case nil, .null?: id = nil
        case .string(let id)?: self.id = id
        default: throw JSONError(.wrongType(#""id" to be a string"#), at: start)
        }
        switch object["group"] {
        case nil: group = nil
        case .null?: group = .some(nil)
        case .string(let name)?: group = name
        default: throw JSONError(.wrongType(#""group" to be a string or null"#), at: start)
        }
        createdBy = object["createdBy"]?.string
        updatedBy = object["updatedBy"]?.string
        content = whole.withoutEnvelope
    }
}

extension InstantJSONFile {
    /// Compares the form field values of the file with those that a layer shows.
    ///
    /// - Parameter present: the values by the names of their fields.
    package func problems(with present: [ByteOrdered: JSON]) -> [FileProblem] {
        formFieldValues.prefix(10_000).compactMap { wanted in
            let name = "formFieldValues \(wanted.name)"
            guard let value = present[ByteOrdered(wanted.name)] else {
                return FileProblem(name, "the layer shows no value of such a form field")
            }
            return value == wanted.value ? nil : FileProblem(name, "form fields cannot be filled; the value is another")
        }
    }
}

extension Content {
    /// The original text stays if there is nothing to remove.
    fileprivate var withoutEnvelope: Content {
        guard object.members.contains(where: { InstantJSONFile.envelope.contains($0.key) }) else { return self }
        return changing { object in for name in InstantJSONFile.envelope { object[name] = nil } }
    }

    /// Whether this content, read from a file, is already in a record: equal except for values stamped on writing and
    /// for the order of members.
    package func isPresent(in record: Record) -> Bool {
        let (mine, theirs) = (object, record.content.object)
        func counts(_ member: JSONObject.Member) -> Bool {
            switch member.key {
            case "updatedAt", "creatorName": false
            // Stamped only if the file has none.
            case "createdAt": mine["createdAt"] != nil
            default: !InstantJSONFile.envelope.contains(member.key)
            }
        }
        let (members, present) = (mine.members.filter(counts), theirs.members.filter(counts))
        return members.count == present.count && members.allSatisfy { theirs[$0.key] == $0.value }
    }
}
