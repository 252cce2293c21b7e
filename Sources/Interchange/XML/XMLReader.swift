/// Reads the subset of XML 1.0 that data files need, incrementally: elements, attributes, text, CDATA, character
/// references and the five predefined entities. Skips comments and processing instructions. Rejects document types, so
/// that no entity is defined or expanded and no file is referenced. Reads only UTF-8.
struct XMLReader {
    enum Event: Hashable {
        case start(String, [String: String])
        case end(String)
        case text(String)
    }

    static let maxDepth = 32
    static let maxAttributes = 64

    let bytes: [UInt8]
    var offset: Int
    private(set) var open: [String] = []
    private var hasRoot = false
    /// The end event still due for an empty-element tag.
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
        guard !open.isEmpty || !hasRoot else { throw XMLError(.expected("the end of the file"), at: place) }
        guard open.count < Self.maxDepth else { throw XMLError(.tooDeep(limit: Self.maxDepth), at: place) }
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
            guard attributes.count <= Self.maxAttributes else {
                throw XMLError(.tooManyAttributes(limit: Self.maxAttributes), at: place)
            }
        }
        hasRoot = true
        return .start(name, attributes)
    }

    private mutating func end() throws(XMLError) -> Event {
        let place = offset
        let name = try name()
        skipSpace()
        guard let last = open.popLast() else { throw XMLError(.expected("no end tag"), at: place) }
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

    /// Reads a name, including its prefix.
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

// MARK: - Bytes
extension XMLReader {
    func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func starts(with mark: StaticString) -> Bool {
        guard bytes.count - offset >= mark.utf8CodeUnitCount else { return false }
        return mark.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    }

    mutating func take(_ mark: StaticString) -> Bool {
        guard starts(with: mark) else { return false }
        offset += mark.utf8CodeUnitCount
        return true
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        offset += 1
        return true
    }

    /// Skips past the next mark.
    mutating func skip(to mark: StaticString) throws(XMLError) {
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

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
