/// The values of one row, with its texts in one piece of memory.
struct RawRow {
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        /// Its range in ``RawRow/text``.
        case text(Range<Int>)
    }

    var values: [Value] = []
    private(set) var text: [UInt8] = []

    mutating func add(_ number: Int64) { values.append(.integer(number)) }

    mutating func add(_ bytes: some Collection<UInt8>) {
        let start = text.count
        text.append(contentsOf: bytes)
        values.append(.text(start..<text.count))
    }

    mutating func add(_ words: String) { add(words.utf8) }

    func string(_ column: Int) -> String? {
        guard case .text(let range) = values[column] else { return nil }
        return String(decoding: text[range], as: UTF8.self)
    }
}
