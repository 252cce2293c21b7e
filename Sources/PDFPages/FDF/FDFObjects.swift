import Annotations

/// The reason why a file is not FDF that can be read. It contains nothing of the file.
package enum FDFError: Error, Hashable, Sendable, CustomStringConvertible {
    case notFDF
    case encrypted
    case nestedTooDeeply
    case tooLarge(bytes: Int)
    case tooManyObjects
    case syntax(offset: Int)

    package var description: String {
        switch self {
        case .notFDF: "the file has no FDF dictionary"
        case .encrypted: "the FDF is encrypted"
        case .nestedTooDeeply: "an object is nested deeper than \(FDFObjects.maxDepth) levels"
        case .tooLarge(let bytes): "FDF files may have at most \(bytes >> 20) MB"
        case .tooManyObjects: "the file has more than \(FDFObjects.maxObjects) objects"
        case .syntax(let offset): "not PDF syntax at byte \(offset)"
        }
    }
}

/// The objects of an FDF file (ISO 32000-2, 12.7.8).
///
/// Cross-references are optional in FDF and are not used: objects are found by reading the file from its start, and the
/// last one with a number counts. The content of streams is read only on request. The file is hostile: its size, its depth and the
/// number of its objects are limited.
package struct FDFObjects {
    static let maxBytes = 32 << 20
    static let maxDepth = 64
    static let maxObjects = 200_000

    private var objects: [ObjectID: PDFObject] = [:]
    private var trailer: [String: PDFObject] = [:]
    private let bytes: [UInt8]
    /// Where the content of each stream is.
    private var streams: [ObjectID: Range<Int>] = [:]
    /// How many more values may be copied in place of references.
    private var room = 1_000_000

    /// The dictionary `FDF` of the file's root.
    package private(set) var fdf: [String: PDFObject] = [:]

    package static func isFDF(_ bytes: [UInt8]) -> Bool {
        bytes.prefix(1024).firstRange(of: Array("%FDF-".utf8)) != nil
    }

    package init(_ bytes: [UInt8]) throws(FDFError) {
        guard bytes.count <= Self.maxBytes else { throw .tooLarge(bytes: Self.maxBytes) }
        self.bytes = bytes
        var reader = PDFSyntaxReader(bytes)
        while !reader.isAtEnd {
            if let id = reader.objectStart() {
                objects[id] = try reader.value()
                guard objects.count <= Self.maxObjects else { throw .tooManyObjects }
                streams[id] = reader.stream(length: objects[id]?.dictionary?["Length"]?.number)
            } else if reader.take("trailer") {
                trailer.merge(try reader.value().dictionary ?? [:]) { $1 }
            } else {
                reader.skipWord()
            }
        }
        guard trailer["Encrypt"] == nil else { throw .encrypted }
        let root = resolve(trailer["Root"] ?? .null).dictionary
        guard let fdf = root.flatMap({ $0["FDF"] }).flatMap({ resolve($0).dictionary }) else { throw .notFDF }
        self.fdf = fdf
    }

    /// Follows references, at most eight; a longer chain is null.
    package func resolve(_ object: PDFObject) -> PDFObject {
        var object = object
        for _ in 0..<8 {
            guard case .reference(let id) = object else { return object }
            object = objects[id] ?? .null
        }
        return .null
    }

    /// Returns the content of a stream without its filters; nil if it has others than those that attached files have.
    package func content(of stream: PDFObject) -> [UInt8]? {
        guard case .reference(let id) = stream, let place = streams[id], let entries = resolve(stream).dictionary else {
            return nil
        }
        let filter = entries["Filter"].map(resolve) ?? .null
        let filters = filter.name.map { [$0] } ?? (filter.array ?? []).compactMap { resolve($0).name }
        let predictor = entries["DecodeParms"].map(resolve)?.dictionary?["Predictor"]?.number ?? 1
        guard predictor == 1, filters.count <= 2 else { return nil }
        return Self.decode(Array(bytes[place]), filters)
    }

    /// Applies the filters of a stream, in their order; nil for malformed data and other filters.
    package static func decode(_ bytes: [UInt8], _ filters: [String]) -> [UInt8]? {
        filters.reduce(bytes) { bytes, filter in
            guard let bytes else { return nil }
            switch filter {
            case "FlateDecode", "Fl": return Inflate.bytes(of: bytes, limit: maxDecodedBytes)
            case "ASCIIHexDecode", "AHx": return hexadecimal(bytes)
            default: return nil
            }
        }
    }

    /// The maximum size of a decoded stream.
    private static let maxDecodedBytes = 128 << 20

    private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
        let digits = text.prefix { $0 != UInt8(ascii: ">") }.compactMap(\.hexadecimalValue)
        return stride(from: 0, to: digits.count, by: 2).map { index in
            digits[index] << 4 | (index + 1 < digits.count ? digits[index + 1] : 0)
        }
    }

    /// Returns an object with the values in place of references, to a depth of eight. The values of one file together
    /// are limited; the rest is null.
    package mutating func copy(_ object: PDFObject, depth: Int = 0) -> PDFObject {
        room -= 1
        guard room > 0, depth < 8 else { return .null }
        switch resolve(object) {
        case .array(let items): return .array(items.map { copy($0, depth: depth + 1) })
        case .dictionary(let entries):
            // The smallest values first: one that uses up the room must not cost an annotation its kind or its place, nor may
            // it depend on the order of a dictionary.
            let order = entries.map { (key: $0.key, value: $0.value, size: size(of: $0.value)) }
                .sorted { ($0.size, $0.key) < ($1.size, $1.key) }
            var copied: [String: PDFObject] = [:]
            for entry in order { copied[entry.key] = copy(entry.value, depth: depth + 1) }
            return .dictionary(copied)
        case let other: return other
        }
    }

    /// The number of values directly in an object.
    private func size(of object: PDFObject) -> Int {
        switch resolve(object) {
        case .array(let items): items.count
        case .dictionary(let entries): entries.count
        default: 0
        }
    }
}

/// Reads objects in PDF syntax (ISO 32000-2, 7.3).
struct PDFSyntaxReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        skipSpace()
    }

    var isAtEnd: Bool { place >= bytes.count }

    // MARK: Objects

    /// Reads `12 0 obj`; otherwise reads nothing.
    mutating func objectStart() -> ObjectID? { pair(followedBy: "obj") }

    /// Reads `12 0` and a word.
    private mutating func pair(followedBy word: String) -> ObjectID? {
        let start = place
        if let number = integer(), let generation = integer(), take(word) {
            return ObjectID(number: number, generation: generation)
        }
        place = start
        return nil
    }

    mutating func value(depth: Int = 0) throws(FDFError) -> PDFObject {
        guard depth < FDFObjects.maxDepth else { throw .nestedTooDeeply }
        guard let first = peek() else { throw .syntax(offset: place) }
        switch first {
        case UInt8(ascii: "/"): return .name(name())
        case UInt8(ascii: "("): return .string(PDFText.decode(literal()))
        case UInt8(ascii: "<"):
            if peek(1) == UInt8(ascii: "<") { return .dictionary(try dictionary(depth)) }
            return .string(PDFText.decode(hexadecimal()))
        case UInt8(ascii: "["):
            place += 1
            skipSpace()
            var items: [PDFObject] = []
            while let next = peek(), next != UInt8(ascii: "]") { items.append(try value(depth: depth + 1)) }
            guard end("]") else { throw .syntax(offset: place) }
            return .array(items)
        default:
            if let id = pair(followedBy: "R") { return .reference(id) }
            if take("true") { return .bool(true) }
            if take("false") { return .bool(false) }
            if take("null") { return .null }
            guard let number = number() else { throw .syntax(offset: place) }
            return .number(number)
        }
    }

    private mutating func dictionary(_ depth: Int) throws(FDFError) -> [String: PDFObject] {
        var entries: [String: PDFObject] = [:]
        place += 2
        skipSpace()
        while let next = peek(), next != UInt8(ascii: ">") {
            guard next == UInt8(ascii: "/") else { throw .syntax(offset: place) }
            let key = name()
            entries[key] = try value(depth: depth + 1)
        }
        guard end(">>") else { throw .syntax(offset: place) }
        return entries
    }

    /// Skips the content of a stream, if one follows.
    ///
    /// - Parameter length: its length, if the dictionary says it. The end is looked for if it is not there.
    /// - Returns: where the content is.
    mutating func stream(length: Double?) -> Range<Int>? {
        guard bytes[place...].starts(with: "stream".utf8) else { return nil }
        var start = place + 6
        if start < bytes.count, bytes[start] == 0x0D { start += 1 }
        if start < bytes.count, bytes[start] == 0x0A { start += 1 }
        let mark = Array("endstream".utf8)
        defer { skipSpace() }
        if let length = length.flatMap({ Int(exactly: $0) }), length >= 0, length <= bytes.count - start {
            place = start + length
            skipSpace()
            if bytes[place...].starts(with: mark) {
                place += mark.count
                return start..<start + length
            }
        }
        guard let end = bytes.firstPlace(of: mark, from: start) else {
            place = bytes.count
            return nil
        }
        place = end + mark.count
        // The end of the line before the mark is not part of the content.
        var last = end
        if last > start, bytes[last - 1] == 0x0A { last -= 1 }
        if last > start, bytes[last - 1] == 0x0D { last -= 1 }
        return start..<last
    }

    // MARK: Tokens

    /// Takes a word that ends here.
    mutating func take(_ word: String) -> Bool {
        guard bytes[place...].starts(with: word.utf8), peek(word.utf8.count).map({ !Self.isRegular($0) }) ?? true
        else { return false }
        place += word.utf8.count
        skipSpace()
        return true
    }

    /// Skips one token that means nothing here.
    mutating func skipWord() {
        repeat { place += 1 } while peek().map(Self.isRegular) ?? false
        skipSpace()
    }

    private mutating func end(_ mark: String) -> Bool {
        guard bytes[place...].starts(with: mark.utf8) else { return false }
        place += mark.utf8.count
        skipSpace()
        return true
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        place + distance < bytes.count ? bytes[place + distance] : nil
    }

    private mutating func skipSpace() {
        while let byte = peek() {
            if byte == UInt8(ascii: "%") {
                while let byte = peek(), byte != 0x0A, byte != 0x0D { place += 1 }
            } else if Self.isSpace(byte) {
                place += 1
            } else {
                return
            }
        }
    }

    private mutating func word() -> ArraySlice<UInt8> {
        let word = bytes[place...].prefix { Self.isRegular($0) }
        place = word.endIndex
        skipSpace()
        return word
    }

    private mutating func integer() -> Int? {
        let digits = bytes[min(place, bytes.count)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...10).contains(digits.count), peek(digits.count).map(Self.isSpace) ?? false else { return nil }
        place = digits.endIndex
        skipSpace()
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private mutating func number() -> Double? {
        let text = String(decoding: word(), as: UTF8.self)
        guard text.utf8.count < 64, text.utf8.allSatisfy({ "0123456789+-.".utf8.contains($0) }) else { return nil }
        return Double(text.begins(with: ".") ? "0" + text : text.ends(with: ".") ? text + "0" : text)
    }

    private mutating func name() -> String {
        place += 1
        var name: [UInt8] = []
        while let byte = peek(), Self.isRegular(byte) {
            place += 1
            if byte == UInt8(ascii: "#"), let high = peek()?.hexadecimalValue, let low = peek(1)?.hexadecimalValue {
                name.append(high << 4 | low)
                place += 2
            } else {
                name.append(byte)
            }
        }
        skipSpace()
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func hexadecimal() -> [UInt8] {
        place += 1
        var digits: [UInt8] = []
        while let byte = peek(), byte != UInt8(ascii: ">") {
            if let digit = byte.hexadecimalValue { digits.append(digit) }
            place += 1
        }
        if !isAtEnd { place += 1 }
        skipSpace()
        // A missing last digit is 0.
        if digits.count % 2 != 0 { digits.append(0) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private mutating func literal() -> [UInt8] {
        var text: [UInt8] = []
        var depth = 0
        while let byte = peek() {
            place += 1
            switch byte {
            case UInt8(ascii: "("):
                if depth > 0 { text.append(byte) }
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                guard depth > 0 else {
                    skipSpace()
                    return text
                }
                text.append(byte)
            case UInt8(ascii: "\\"): escaped(into: &text)
            case 0x0D:
                // An end of line is one line feed, however it is written.
                if peek() == 0x0A { place += 1 }
                text.append(0x0A)
            default: text.append(byte)
            }
        }
        return text
    }

    private mutating func escaped(into text: inout [UInt8]) {
        guard let letter = peek() else { return }
        place += 1
        switch letter {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            var code = Int(letter) - 48
            for _ in 0..<2 {
                guard let digit = peek(), (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { break }
                code = code * 8 + Int(digit) - 48
                place += 1
            }
            text.append(UInt8(truncatingIfNeeded: code))
        // The line goes on.
        case 0x0A: break
        case 0x0D: if peek() == 0x0A { place += 1 }
        default: text.append(letter)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0 }

    private static func isRegular(_ byte: UInt8) -> Bool { !isSpace(byte) && !"()<>[]{}/%".utf8.contains(byte) }
}
