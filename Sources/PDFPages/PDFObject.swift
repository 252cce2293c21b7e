import Annotations

/// A PDF object in qpdf's JSON (qpdf manual, "qpdf JSON format", version 2).
package enum PDFObject: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    /// Text, decoded from PDFDocEncoding, UTF-16 or UTF-8.
    case string(String)
    /// Bytes that are not text; only for writing.
    case bytes([UInt8])
    /// Without the slash.
    case name(String)
    case reference(ObjectID)
    case array([PDFObject])
    case dictionary([String: PDFObject])

    /// Objects are equal if their texts are, scalar for scalar.
    package static func == (one: PDFObject, other: PDFObject) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)), (.name(let one), .name(let other)): one.isExactly(other)
        case (.bytes(let one), .bytes(let other)): one == other
        case (.reference(let one), .reference(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.dictionary(let one), .dictionary(let other)): one == other
        default: false
        }
    }
}

/// The number and generation of an indirect object.
package struct ObjectID: Hashable, Sendable {
    package var number: Int
    package var generation: Int

    package init(number: Int, generation: Int = 0) {
        self.number = number
        self.generation = generation
    }

    /// Parses `12 0 R`.
    init?(_ text: Substring) {
        let words = text.split(scalar: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "R", let number = Int(words[0]), let generation = Int(words[1]),
            number >= 0, generation >= 0
        else { return nil }
        self.init(number: number, generation: generation)
    }
}

extension PDFObject {
    package var number: Double? {
        guard case .number(let value) = self, value.isFinite else { return nil }
        return value
    }

    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var name: String? {
        guard case .name(let name) = self else { return nil }
        return name
    }

    package var reference: ObjectID? {
        guard case .reference(let id) = self else { return nil }
        return id
    }

    package var array: [PDFObject]? {
        guard case .array(let items) = self else { return nil }
        return items
    }

    package var dictionary: [String: PDFObject]? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries
    }
}
