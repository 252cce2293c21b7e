/// A writer of compact JSON into a byte buffer.
///
/// ```swift
/// var json = JSONWriter()
/// json.object { $0.member("id", record.id); $0.member("content", source: record.content.text) }
/// send(json.bytes)
/// ```
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// - Parameter head: The text before the JSON.
    package init(after head: String, capacity: Int) {
        bytes.reserveCapacity(head.utf8.count + capacity)
        bytes.append(contentsOf: head.utf8)
    }

    package consuming func bytes(endingIn tail: StaticString) -> [UInt8] {
        append(tail)
        return bytes
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns one object as text.
    package static func text(capacity: Int = 256, _ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(capacity: capacity)
        json.object(body)
        return json.text
    }

    // MARK: Containers

    package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows { try nest("{", "}", body) }
    package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows { try nest("[", "]", body) }

    package mutating func member(_ key: String, object body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    package mutating func member(_ key: String, array body: (inout JSONWriter) throws -> Void) rethrows {
        self.key(key)
        try array(body)
    }

    package mutating func array<S: Sequence>(_ items: S, _ each: (inout JSONWriter, S.Element) -> Void) {
        array { for item in items { each(&$0, item) } }
    }

    private mutating func nest(
        _ open: StaticString, _ close: StaticString, _ body: (inout JSONWriter) throws -> Void
    ) rethrows {
        separate()
        bytes.append(open.utf8Start[0])
        needsComma = false
        try body(&self)
        bytes.append(close.utf8Start[0])
        needsComma = true
    }

    // MARK: Members of scalars

    package mutating func key(_ key: String) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    /// Writes a member, nil as `null`.
    package mutating func member(_ key: String, orNull value: String?) {
        self.key(key)
        if let value { string(value) } else { null() }
    }

    package mutating func member(_ key: String, _ value: Int64) {
        self.key(key)
        number(value)
    }

    package mutating func member(_ key: String, _ value: Int) { member(key, Int64(value)) }

    package mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        raw(value ? "true" : "false")
    }

    package mutating func member(_ key: String, _ value: JSON) {
        self.key(key)
        self.value(value)
    }

    /// Writes a member whose value is JSON text already.
    package mutating func member(_ key: String, source: String) {
        self.key(key)
        raw(source)
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    // MARK: Values

    package mutating func null() {
        separate()
        append("null")
        needsComma = true
    }

    /// Writes a value from pieces that need no further checks.
    ///
    /// - Parameter size: The maximum number of bytes that `put` writes.
    package mutating func value(upTo size: Int, _ put: (inout JSONPieces) -> Void) {
        separate()
        bytes.append(addingCapacity: size) { room in
            room.withUnsafeMutableBufferPointer { room, count in
                var pieces = JSONPieces(room)
                put(&pieces)
                count = pieces.count
            }
        }
        needsComma = true
    }

    package mutating func number(_ value: Int64) {
        self.value(upTo: JSONPieces.digits) { $0.put(value) }
    }

    /// Writes text that is one JSON value already.
    package mutating func raw(_ source: String) {
        var source = source
        source.withUTF8 { raw(utf8: $0) }
    }

    package mutating func raw(utf8 source: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(contentsOf: source)
        needsComma = true
    }

    package mutating func value(_ value: JSON) {
        switch value {
        case .null: null()
        case .bool(let flag): raw(flag ? "true" : "false")
        case .number(let number): raw(number.source)
        case .string(let text): string(text)
        case .array(let items): array { for item in items { $0.value(item) } }
        case .object(let object): self.object { for member in object.members { $0.member(member.key, member.value) } }
        }
    }

    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string(utf8: $0) }
    }

    /// - Parameter utf8: Valid UTF-8.
    package mutating func string(utf8: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var rest = utf8
        while let index = rest.firstIndex(where: Self.mustEscape) {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<index]))
            bytes.append(contentsOf: Self.escape(rest[index]))
            rest = UnsafeBufferPointer(rebasing: rest[(index + 1)...])
        }
        bytes.append(contentsOf: rest)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// Whether the text needs only quotes.
    package static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // Without an early exit, so that the compiler can vectorise the loop.
        var found: UInt8 = 0
        for byte in text { found |= mustEscape(byte) ? 1 : 0 }
        return found == 0
    }

    /// Quotes, backslashes and C0 controls must be escaped; DEL is escaped too, because some terminals react to it.
    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case 0x0A: return Array(#"\n"#.utf8)
        case 0x0D: return Array(#"\r"#.utf8)
        case 0x09: return Array(#"\t"#.utf8)
        case 0..<0x20, 0x7F:
            let digits = Array("0123456789abcdef".utf8)
            return Array(#"\u00"#.utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        default: return [UInt8(ascii: "\\"), byte]
        }
    }
}

extension JSON {
    /// The value as compact JSON text.
    public var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return writer.text
    }

    /// Parses one value; ``JSONError`` lists what is rejected.
    package init(parsing text: String) throws(JSONError) { self = try JSONReader.parse(Array(text.utf8)) }
}
