/// Reads the part of XML 1.0 that data needs, piece by piece: elements, attributes, text, CDATA, and XML's own five
/// entities. Comments and instructions are passed over. A document type is an error, so that no entity is ever defined,
/// no file named and nothing grows; nothing but UTF-8 is read.
struct XMLReader {
    enum Event: Hashable {
        case start(String, [String: String])
        case end(String)
        case text(String)
    }

    static let deepest = 32
    static let mostAttributes = 64

    private let bytes: [UInt8]
    private(set) var offset: Int
    private var open: [String] = []
    private var hasRoot = false
    /// The end of an element that had none of its own.
    private var pendingEnd: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// - Returns: nil at the end of the document.
    mutating func next() throws(XMLError) -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        while offset < bytes.count {
            guard bytes[offset] == UInt8(ascii: "<") else {
                if let event = try text() { return event }
                continue
            }
            if take("<!--") {
                try skip(to: "-->")
            } else if take("<?") {
                try instruction()
            } else if take("<![CDATA[") {
                return try data()
            } else if starts(with: "<!") {
                throw XMLError(.documentType, at: offset)
            } else if take("</") {
                return try end()
            } else {
                return try start()
            }
        }
        guard open.isEmpty, hasRoot else { throw XMLError(.unexpectedEnd, at: offset) }
        return nil
    }
}

// MARK: - Elements
extension XMLReader {
    private mutating func start() throws(XMLError) -> Event {
        let place = offset
        offset += 1
        guard !open.isEmpty || !hasRoot else { throw XMLError(.expected("the end"), at: place) }
        guard open.count < Self.deepest else { throw XMLError(.tooDeep(limit: Self.deepest), at: place) }
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = skipSpace()
            if take("/>") {
                pendingEnd = name
                break
            }
            if take(">") {
                open.append(name)
                break
            }
            guard hadSpace else { throw XMLError(.expected("a space or >"), at: offset) }
            let place = offset
            let (key, value) = try attribute()
            guard attributes.updateValue(value, forKey: key) == nil else {
                throw XMLError(.attributeTwice(key), at: place)
            }
            guard attributes.count <= Self.mostAttributes else {
                throw XMLError(.tooManyAttributes(limit: Self.mostAttributes), at: place)
            }
        }
        hasRoot = true
        return .start(name, attributes)
    }

    private mutating func end() throws(XMLError) -> Event {
        let place = offset
        let name = try name()
        skipSpace()
        guard let last = open.popLast() else { throw XMLError(.expected("no end"), at: place) }
        guard last.utf8.elementsEqual(name.utf8) else { throw XMLError(.wrongEnd(open: last), at: place) }
        guard take(">") else { throw XMLError(.expected(">"), at: offset) }
        return .end(name)
    }

    private mutating func attribute() throws(XMLError) -> (String, String) {
        let key = try name()
        skipSpace()
        guard take("=") else { throw XMLError(.expected("="), at: offset) }
        skipSpace()
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw XMLError(.expected("a quotation mark"), at: offset)
        }
        offset += 1
        let start = offset
        while let byte = peek(), byte != quote {
            guard byte != UInt8(ascii: "<") else { throw XMLError(.forbiddenCharacter, at: offset) }
            offset += 1
        }
        let value = try decoded(start..<offset, isAttribute: true)
        guard take(quote) else { throw XMLError(.unexpectedEnd, at: offset) }
        return (key, value)
    }

    /// A name, with its prefix if it has one.
    private mutating func name() throws(XMLError) -> String {
        let start = offset
        while let byte = peek(), Self.isNamePart(byte, first: offset == start) { offset += 1 }
        guard offset > start, offset - start <= 256 else { throw XMLError(.expected("a name"), at: start) }
        guard let name = String(validating: bytes[start..<offset], as: UTF8.self) else {
            throw XMLError(.notUTF8, at: start)
        }
        return name
    }

    private static func isNamePart(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !first
        default: false
        }
    }
}

// MARK: - Text
extension XMLReader {
    /// Text up to the next mark; nil for the space around the document's own element.
    private mutating func text() throws(XMLError) -> Event? {
        let start = offset
        while let byte = peek(), byte != UInt8(ascii: "<") { offset += 1 }
        guard open.isEmpty else { return .text(try decoded(start..<offset, isAttribute: false)) }
        guard let other = (start..<offset).first(where: { !Self.isSpace(bytes[$0]) }) else { return nil }
        throw XMLError(.expected("an element"), at: other)
    }

    private mutating func data() throws(XMLError) -> Event {
        let start = offset
        guard !open.isEmpty else { throw XMLError(.expected("an element"), at: start) }
        try skip(to: "]]>")
        return .text(try checked(bytes[start..<(offset - 3)], at: start))
    }

    /// Only the encoding counts of what a declaration says.
    private mutating func instruction() throws(XMLError) {
        let start = offset
        try skip(to: "?>")
        let text = String(decoding: bytes[start..<(offset - 2)], as: UTF8.self).lowercased()
        guard text.hasPrefix("xml "), let range = text.firstRange(of: "encoding") else { return }
        guard text[range.upperBound...].contains("utf-8") else { throw XMLError(.notUTF8, at: start) }
    }

    private func decoded(_ range: Range<Int>, isAttribute: Bool) throws(XMLError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var place = range.lowerBound
        while place < range.upperBound {
            let byte = bytes[place]
            if byte == UInt8(ascii: "&") {
                guard let end = bytes[place..<min(place + 12, range.upperBound)].firstIndex(of: UInt8(ascii: ";")),
                    let scalar = Self.entity(bytes[(place + 1)..<end])
                else { throw XMLError(.unknownEntity, at: place) }
                result += Array(String(scalar).utf8)
                place = end + 1
                continue
            }
            switch byte {
            case 0x0D:
                // One end of line, however it is written.
                if place + 1 < range.upperBound, bytes[place + 1] == 0x0A { place += 1 }
                result.append(isAttribute ? 0x20 : 0x0A)
            case 0x09, 0x0A: result.append(isAttribute ? 0x20 : byte)
            default: result.append(byte)
            }
            place += 1
        }
        return try checked(result[...], at: range.lowerBound)
    }

    private func checked(_ text: ArraySlice<UInt8>, at place: Int) throws(XMLError) -> String {
        guard !text.contains(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }) else {
            throw XMLError(.forbiddenCharacter, at: place)
        }
        guard let text = String(validating: text, as: UTF8.self) else { throw XMLError(.notUTF8, at: place) }
        return text
    }

    private static func entity(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case let name where name.hasPrefix("#x"):
            return UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case let name where name.hasPrefix("#"): return UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
        default: return nil
        }
    }
}

// MARK: - Bytes
extension XMLReader {
    private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func starts(with mark: StaticString) -> Bool {
        guard bytes.count - offset >= mark.utf8CodeUnitCount else { return false }
        return mark.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    }

    private mutating func take(_ mark: StaticString) -> Bool {
        guard starts(with: mark) else { return false }
        offset += mark.utf8CodeUnitCount
        return true
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        offset += 1
        return true
    }

    /// Behind the next such mark.
    private mutating func skip(to mark: StaticString) throws(XMLError) {
        while offset < bytes.count {
            if take(mark) { return }
            offset += 1
        }
        throw XMLError(.unexpectedEnd, at: offset)
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = offset
        while let byte = peek(), Self.isSpace(byte) { offset += 1 }
        return offset > start
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
