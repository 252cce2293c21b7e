/// One parameter of a statement, sent in PostgreSQL's binary format.
package enum PostgresValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case texts([String])

    package init(_ text: String?) { self = text.map(Self.text) ?? .null }
    package init(_ integer: Int64?) { self = integer.map(Self.integer) ?? .null }

    /// Whether PostgreSQL can store the value: its texts contain no NUL.
    var isStorable: Bool { if case .text(let text) = self { !text.utf8.contains(0) } else { true } }

    /// nil: NULL.
    var binary: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let integer): Self.bigEndian(integer)
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .texts(let texts): Self.array(of: texts)
        }
    }

    /// Returns the number of dimensions, the flag for no NULLs, the type (25: text), the size and first index of the
    /// only dimension, then each element preceded by its length.
    private static func array(of texts: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [1, 0, 25, Int32(texts.count), 1] as [Int32] { bytes += bigEndian(number) }
        for text in texts {
            bytes += bigEndian(Int32(text.utf8.count))
            bytes += text.utf8
        }
        return bytes
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

extension PostgresValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(nilLiteral: ()) { self = .null }
}
