import Annotations

/// An annotation in a file.
struct Object: Hashable {
    var number: Int
    var name: String?
    var page: Int
    var value: Value

    /// Which note it is, and which of its texts it has.
    struct Value: Hashable, CustomStringConvertible {
        var note: Int
        var text: Int

        var description: String { "n\(note):t\(text)" }
    }

    var record: Record {
        let name = name.map { #","name":"\#($0)""# } ?? ""
        let text =
            #"{"type":"pspdfkit/note","pageIndex":\#(page),"text":"\#(value)"\#(name),"pdfObjectId":\#(number)}"#
        return Record(id: "\(number)", content: Content(checked: text))
    }
}

extension Record {
    static func new(_ id: String, _ value: Object.Value, page: Int) -> Record {
        Record(
            id: id,
            content: Content(checked: #"{"type":"pspdfkit/note","pageIndex":\#(page),"text":"\#(value)"}"#))
    }

    var value: Object.Value {
        let words = (content["text"]?.string ?? "").split(separator: ":")
        return Object.Value(note: Int(words[0].dropFirst()) ?? -1, text: Int(words[1].dropFirst()) ?? -1)
    }

    var page: Int { Int(content["pageIndex"]?.integer ?? 0) }

    func with(_ value: Object.Value) -> Record {
        var record = self
        record.content = content.changing { $0["text"] = .string("\(value)") }
        return record
    }
}

/// The bytes of a PDF: what it began with, and what was appended to it.
struct Bytes: Hashable {
    struct Part: Hashable {
        /// No two parts have the same bytes unless one is a copy of the other.
        var id: UInt64
        var size: Int64
        /// All annotations up to here.
        var objects: [Object]
        /// Whether its end is missing.
        var isHalf = false
    }

    var parts: [Part]
    /// The words on its pages.
    var edition = 0

    var objects: [Object] { parts.last?.objects ?? [] }
    var isDamaged: Bool { parts.contains(where: \.isHalf) || parts.isEmpty }
    var size: Int64 { parts.reduce(0) { $0 + $1.size } }

    var hash: String {
        let mixed = parts.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ $1.id ^ ($1.isHalf ? 1 << 60 : 0)) &* 0x0000_0100_0000_01B3
        }
        return String(mixed, radix: 16)
    }

    /// All beginnings that are versions of the file, the shortest first; the last one is the whole.
    var beginnings: [Bytes] { parts.indices.map { Bytes(parts: Array(parts[...$0]), edition: edition) } }
}
