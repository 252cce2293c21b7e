/// A strict reader of JSON text (RFC 8259) in bytes: one value, no duplicate keys, no lone surrogates, bounded depth.
///
/// A message decoder walks the text with ``object(_:)`` and ``array(_:)`` and reads the members it knows; ``source()``
/// returns a value verbatim, checked without building a tree.
package struct JSONReader {
    let bytes: [UInt8]
    package private(set) var offset = 0
    private var depth = 0
    /// Whether white space was skipped since this was last set to false.
    private var sawSpace = false
    let maximumDepth: Int
    /// Whether the text is known to be valid, so that keys need not be compared again.
    private let isChecked: Bool

    package static let defaultDepth = 32

    package init(_ bytes: [UInt8], maximumDepth: Int = JSONReader.defaultDepth) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        isChecked = false
    }

    /// Creates a reader for the text of a ``Content``, which was checked before.
    init(checked bytes: [UInt8]) {
        self.bytes = bytes
        maximumDepth = Self.defaultDepth
        isChecked = true
    }

    package init(_ text: String, maximumDepth: Int = JSONReader.defaultDepth) {
        self.init(Array(text.utf8), maximumDepth: maximumDepth)
    }

    package func error(_ problem: JSONError.Problem) -> JSONError { JSONError(problem, at: offset) }

    /// Reads the whole text as one value.
    package static func parse(_ bytes: [UInt8], maximumDepth: Int = defaultDepth) throws(JSONError) -> JSON {
        var reader = JSONReader(bytes, maximumDepth: maximumDepth)
        let value = try reader.value()
        try reader.end()
        return value
    }

    /// Requires that only white space is left.
    package mutating func end() throws(JSONError) {
        skipSpace()
        guard offset == bytes.count else { throw error(.trailingBytes) }
    }

    // MARK: The kind of the next value

    package enum Kind { case null, bool, number, string, array, object }

    package mutating func peek() throws(JSONError) -> Kind {
        skipSpace()
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        switch bytes[offset] {
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw error(.unexpectedByte)
        }
    }

    // MARK: Whole values

    package mutating func value() throws(JSONError) -> JSON {
        switch try peek() {
        case .null:
            try literal("null")
            return .null
        case .bool: return .bool(try bool())
        case .number: return .number(try number())
        case .string: return .string(try string())
        case .array:
            var items: [JSON] = []
            try array { (reader: inout JSONReader) throws(JSONError) in items.append(try reader.value()) }
            return .array(items)
        case .object:
            var members: [JSONObject.Member] = []
            try object { (key: String, reader: inout JSONReader) throws(JSONError) in
                members.append(.init(key: key, value: try reader.value()))
            }
            return .object(JSONObject(unique: members))
        }
    }

    /// Checks the next value and returns its text verbatim, without the white space around it.
    package mutating func source() throws(JSONError) -> String {
        skipSpace()
        let start = offset
        try skip()
        // Every byte was checked as UTF-8 or ASCII while it was skipped.
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Checks the next value and returns its text without white space between its parts. Depth is counted from this
    /// value, however deeply it is nested.
    package mutating func compactSource() throws(JSONError) -> String {
        skipSpace()
        let start = offset
        let outer = depth
        depth = 0
        sawSpace = false
        try skip()
        depth = outer
        let value = bytes[start..<offset]
        return String(decoding: sawSpace ? Self.compact(value) : value, as: UTF8.self)
    }

    private static func compact(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var compact: ArraySlice<UInt8> = []
        compact.reserveCapacity(value.count)
        var inString = false
        var escaped = false
        for byte in value {
            if !inString, byte <= 0x20 { continue }
            compact.append(byte)
            if byte == UInt8(ascii: "\""), !escaped { inString.toggle() }
            escaped = inString && !escaped && byte == UInt8(ascii: "\\")
        }
        return compact
    }

    /// Checks and skips the next value.
    package mutating func skip() throws(JSONError) {
        switch try peek() {
        case .null: try literal("null")
        case .bool: _ = try bool()
        case .number: _ = try numberRange()
        case .string: try skipString()
        case .array: try array { (reader: inout JSONReader) throws(JSONError) in try reader.skip() }
        case .object:
            try object { (_: String, reader: inout JSONReader) throws(JSONError) in try reader.skip() }
        }
    }

    // MARK: Containers

    package mutating func array(_ element: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        try open(UInt8(ascii: "["), "an array")
        if take(UInt8(ascii: "]")) { return close() }
        repeat { try element(&self) } while try more(until: UInt8(ascii: "]"))
        close()
    }

    /// Calls the closure with each key and a reader before the value; the closure must read the value.
    package mutating func object(_ member: (String, inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        try open(UInt8(ascii: "{"), "an object")
        if take(UInt8(ascii: "}")) { return close() }
        var seen = SeenKeys()
        repeat {
            skipSpace()
            let key = try string()
            guard isChecked || seen.insert(key) else { throw error(.duplicateKey(key)) }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            try member(key, &self)
        } while try more(until: UInt8(ascii: "}"))
        close()
    }

    private mutating func open(_ bracket: UInt8, _ name: String) throws(JSONError) {
        skipSpace()
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        guard bytes[offset] == bracket else { throw error(.wrongType(name)) }
        guard depth < maximumDepth else { throw error(.tooDeep(maximumDepth)) }
        depth += 1
        offset += 1
    }

    private mutating func close() { depth -= 1 }

    private mutating func more(until bracket: UInt8) throws(JSONError) -> Bool {
        if take(UInt8(ascii: ",")) { return true }
        if take(bracket) { return false }
        throw error(offset < bytes.count ? .unexpectedByte : .unexpectedEnd)
    }

    // MARK: Scalars

    package mutating func null() throws(JSONError) { try literal("null") }

    package mutating func bool() throws(JSONError) -> Bool {
        skipSpace()
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        switch bytes[offset] {
        case UInt8(ascii: "t"):
            try literal("true")
            return true
        case UInt8(ascii: "f"):
            try literal("false")
            return false
        default: throw error(.wrongType("true or false"))
        }
    }

    package mutating func number() throws(JSONError) -> JSONNumber {
        JSONNumber(source: String(decoding: bytes[try numberRange()], as: UTF8.self))
    }

    package mutating func integer() throws(JSONError) -> Int64 {
        skipSpace()
        let start = offset
        guard case .number = try peek(), let value = try number().integer else {
            throw JSONError(.wrongType("a whole number"), at: start)
        }
        return value
    }

    package mutating func optionalString() throws(JSONError) -> String? {
        if case .null = try peek() {
            try null()
            return nil
        }
        return try string()
    }

    private mutating func literal(_ text: StaticString) throws(JSONError) {
        skipSpace()
        for index in 0..<text.utf8CodeUnitCount {
            guard offset < bytes.count else { throw error(.unexpectedEnd) }
            guard bytes[offset] == text.utf8Start[index] else { throw error(.unexpectedByte) }
            offset += 1
        }
    }

    /// Reads a number by RFC 8259 section 6: no leading zero, digits on both sides of the point, digits in the
    /// exponent.
    private mutating func numberRange() throws(JSONError) -> Range<Int> {
        skipSpace()
        let start = offset
        _ = takeHere(UInt8(ascii: "-"))
        if takeHere(UInt8(ascii: "0")) == false { try digits() }
        if takeHere(UInt8(ascii: ".")) { try digits() }
        if takeHere(UInt8(ascii: "e")) || takeHere(UInt8(ascii: "E")) {
            if takeHere(UInt8(ascii: "+")) == false { _ = takeHere(UInt8(ascii: "-")) }
            try digits()
        }
        return start..<offset
    }

    private mutating func digits() throws(JSONError) {
        let start = offset
        while offset < bytes.count, bytes[offset] >= UInt8(ascii: "0"), bytes[offset] <= UInt8(ascii: "9") {
            offset += 1
        }
        guard offset > start else { throw error(offset < bytes.count ? .badNumber : .unexpectedEnd) }
    }

    // MARK: Bytes

    mutating func advance(to new: Int) { offset = new }

    private mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D:
                offset += 1
                sawSpace = true
            default: return
            }
        }
    }

    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        guard bytes[offset] == byte else { throw error(.unexpectedByte) }
        offset += 1
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        return takeHere(byte)
    }

    private mutating func takeHere(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }
}

/// The keys of one object so far. Most objects have a handful; a hostile one can have a million.
private struct SeenKeys {
    private var few: [String] = []
    private var many: Set<[UInt8]> = []
    /// One of 64 bits for each key, chosen by its length and its ends: an unset bit shows at once that a key is new.
    private var marks: UInt64 = 0

    mutating func insert(_ key: String) -> Bool {
        guard many.isEmpty else { return many.insert(Array(key.utf8)).inserted }
        let mark = Self.mark(key)
        if marks & mark != 0, few.contains(where: key.isExactly) { return false }
        marks |= mark
        if few.isEmpty { few.reserveCapacity(16) }
        few.append(key)
        if few.count > 16 { many = Set(few.map { Array($0.utf8) }) }
        return true
    }

    private static func mark(_ key: String) -> UInt64 {
        let ends = UInt64(key.utf8.first ?? 0) &* 31 &+ UInt64(key.utf8.last ?? 0) &* 7
        return 1 << ((ends &+ UInt64(key.utf8.count)) & 63)
    }
}
