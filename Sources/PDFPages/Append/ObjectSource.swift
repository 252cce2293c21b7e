import Annotations

/// A dictionary of a file as text of qpdf's JSON. Entries that are not replaced keep their text, so nothing of them is
/// lost.
struct ObjectSource {
    private(set) var entries: [Entry]

    struct Entry {
        /// The JSON string between its quotation marks, with the slash.
        var key: ArraySlice<UInt8>
        /// A JSON value.
        var value: ArraySlice<UInt8>
    }

    init() { entries = [] }

    /// - Returns: nil if the text is not a JSON object.
    init?(_ json: ArraySlice<UInt8>) {
        var scanner = SourceScanner(json)
        guard let entries = scanner.object() else { return nil }
        self.entries = entries
    }

    /// Returns, replaces, appends or (with nil) removes the JSON value of an entry.
    ///
    /// - Parameter key: without the slash.
    subscript(key: String) -> ArraySlice<UInt8>? {
        get { index(of: key).map { entries[$0].value } }
        set {
            switch (index(of: key), newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: Array("/\(key)".utf8)[...], value: value))
            case (nil, nil): break
            }
        }
    }

    mutating func set(_ key: String, to object: PDFObject?) {
        self[key] = object.map { Array($0.json.text.utf8)[...] }
    }

    private func index(of key: String) -> Int? {
        entries.firstIndex { $0.key.first == UInt8(ascii: "/") && $0.key.dropFirst().elementsEqual(key.utf8) }
    }

    /// The dictionary as JSON.
    var json: [UInt8] {
        var json: [UInt8] = Array("{".utf8)
        for entry in entries {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json += "\"".utf8
            json += entry.key
            json += "\":".utf8
            json += entry.value
        }
        return json + "}".utf8
    }

    /// Returns the items of a JSON array; nil for other values.
    static func items(_ json: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var scanner = SourceScanner(json)
        return scanner.array()
    }

    static func array(_ items: [ArraySlice<UInt8>]) -> [UInt8] {
        Array("[".utf8) + items.joined(separator: ",".utf8) + "]".utf8
    }

    /// Returns the object that a JSON value refers to.
    static func reference(_ json: ArraySlice<UInt8>) -> ObjectID? {
        guard json.count < 64, json.first == UInt8(ascii: "\"") else { return nil }
        return ObjectID(Substring(decoding: json.dropFirst().dropLast(), as: UTF8.self))
    }

    static func object(_ json: ArraySlice<UInt8>) -> PDFObject {
        var reader = PDFObjectReader(json)
        return reader.object() ?? .null
    }
}

extension ObjectDump {
    /// Returns the JSON of an object; nil if it is missing.
    func value(_ id: ObjectID) -> ArraySlice<UInt8>? { source(id).flatMap { ObjectDump.value(in: $0) } }

    /// Returns the value in `{"value": …}`.
    static func value(in source: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var scanner = SourceScanner(source)
        return scanner.object()?.first { $0.key.elementsEqual("value".utf8) }?.value
    }
}

/// Splits JSON into the texts of its members or items, without reading them.
private struct SourceScanner {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func object() -> [ObjectSource.Entry]? {
        var entries: [ObjectSource.Entry] = []
        guard take("{") else { return nil }
        while !take("}") {
            guard entries.isEmpty || take(","), let key = string(), take(":"), let value = value() else { return nil }
            entries.append(ObjectSource.Entry(key: key.dropFirst().dropLast(), value: value))
        }
        return entries
    }

    mutating func array() -> [ArraySlice<UInt8>]? {
        var items: [ArraySlice<UInt8>] = []
        guard take("[") else { return nil }
        while !take("]") {
            guard items.isEmpty || take(","), let value = value() else { return nil }
            items.append(value)
        }
        return items
    }

    private mutating func take(_ character: Character) -> Bool {
        rest = rest.drop { $0 <= 0x20 }
        guard rest.first == character.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    /// Returns a string with its quotation marks.
    private mutating func string() -> ArraySlice<UInt8>? {
        let start = rest.drop { $0 <= 0x20 }
        rest = start
        guard take("\"") else { return nil }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return start[..<rest.startIndex] }
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        return nil
    }

    private mutating func value() -> ArraySlice<UInt8>? {
        rest = rest.drop { $0 <= 0x20 }
        let start = rest
        var depth = 0
        repeat {
            rest = rest.drop { $0 <= 0x20 }
            switch rest.first {
            case UInt8(ascii: "\""): guard string() != nil else { return nil }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                rest.removeFirst()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                guard depth >= 0 else { return nil }
                rest.removeFirst()
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return nil }
                rest.removeFirst()
            case .some: rest = rest.drop { !Self.isDelimiter($0) }
            case nil: return nil
            }
        } while depth > 0
        return start[..<rest.startIndex]
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool { byte <= 0x20 || "\"{}[],:".utf8.contains(byte) }
}
