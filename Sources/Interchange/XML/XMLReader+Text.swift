import Annotations

// Reads text between elements, in attributes and in CDATA, and skips the rest.
extension XMLReader {
    /// Reads text up to the next `<`; nil for space around the root element.
    mutating func text() throws(XMLError) -> Event? {
        let start = offset
        while let byte = peek(), byte != UInt8(ascii: "<") { offset += 1 }
        guard open.isEmpty else { return .text(try decoded(start..<offset, isAttribute: false)) }
        guard let other = (start..<offset).first(where: { !Self.isSpace(bytes[$0]) }) else { return nil }
        throw XMLError(.expected("an element"), at: other)
    }

    mutating func data() throws(XMLError) -> Event {
        let start = offset
        guard !open.isEmpty else { throw XMLError(.expected("an element"), at: start) }
        try skip(to: "]]>")
        return .text(try checked(bytes[start..<(offset - 3)], at: start))
    }

    /// Skips a processing instruction, checking only the encoding of an XML declaration.
    mutating func instruction() throws(XMLError) {
        let start = offset
        try skip(to: "?>")
        let text = String(decoding: bytes[start..<(offset - 2)], as: UTF8.self).lowercased()
        guard text.begins(with: "xml "), let range = text.range(ofScalars: "encoding") else { return }
        guard text[range.upperBound...].contains(scalars: "utf-8") else { throw XMLError(.notUTF8, at: start) }
    }

    func decoded(_ range: Range<Int>, isAttribute: Bool) throws(XMLError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var place = range.lowerBound
        while place < range.upperBound {
            let byte = bytes[place]
            if byte == UInt8(ascii: "&") {
                guard let end = bytes[place..<min(place + 12, range.upperBound)].firstIndex(of: UInt8(ascii: ";")),
                    let scalar = Unicode.Scalar(
                        reference: String(decoding: bytes[(place + 1)..<end], as: UTF8.self))
                else { throw XMLError(.unknownEntity, at: place) }
                result += Array(String(scalar).utf8)
                place = end + 1
                continue
            }
            switch byte {
            case 0x0D:
                // Normalises every line end to one character.
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
}
