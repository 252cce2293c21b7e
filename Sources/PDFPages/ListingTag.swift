/// The inside of a tag such as `word xMin="93.5" yMin="371.1"`: its name, and its attributes as numbers.
struct ListingTag {
    let name: String
    private let attributes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        let end = bytes.firstIndex { $0 <= UInt8(ascii: " ") } ?? bytes.endIndex
        name = String(decoding: bytes[..<end], as: UTF8.self)
        attributes = bytes[end...]
    }

    /// Returns an attribute's number; nil when it is missing or not a possible coordinate.
    subscript(_ wanted: String) -> Double? {
        var rest = attributes
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let key = rest[..<equals].drop { $0 <= UInt8(ascii: " ") }
            let quote = UInt8(ascii: "\"")
            guard let open = rest[equals...].firstIndex(of: quote),
                let close = rest[(open + 1)...].firstIndex(of: quote)
            else { return nil }
            if key.elementsEqual(wanted.utf8) {
                let number = Double(String(decoding: rest[(open + 1)..<close], as: UTF8.self))
                return number.flatMap { abs($0) <= 1_000_000 ? $0 : nil }
            }
            rest = rest[(close + 1)...]
        }
        return nil
    }
}
