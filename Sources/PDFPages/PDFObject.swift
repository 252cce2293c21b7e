/// A PDF object as qpdf's JSON tells it (qpdf manual, "qpdf JSON format", version 2).
enum PDFObject: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    /// Text, decoded by qpdf from PDFDocEncoding, UTF-16 or UTF-8; bytes that are no text as Latin-1.
    case string(String)
    /// Without its slash.
    case name(String)
    case reference(ObjectID)
    case array([PDFObject])
    case dictionary([String: PDFObject])
}

/// The number and generation of an indirect object.
struct ObjectID: Hashable, Sendable {
    var number: Int
    var generation: Int

    init(number: Int, generation: Int) {
        self.number = number
        self.generation = generation
    }

    /// From `12 0 R`.
    init?(_ text: Substring) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "R", let number = Int(words[0]), let generation = Int(words[1]),
            number >= 0, generation >= 0
        else { return nil }
        self.init(number: number, generation: generation)
    }
}

extension PDFObject {
    var number: Double? {
        guard case .number(let value) = self, value.isFinite else { return nil }
        return value
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var name: String? {
        guard case .name(let name) = self else { return nil }
        return name
    }
}
