/// The words of a comment written in XHTML, as a row of text can show them.
///
/// Lenient, because the text is somebody else's: tags are dropped, ends of paragraphs and breaks become new lines,
/// the entities that editors write are resolved, and what is neither tag nor entity stays as it stands.
struct PlainText {
    private var words: [UInt8] = []
    private let source: [UInt8]
    private var index = 0

    static func reading(xhtml: String) -> String {
        var reader = PlainText(source: Array(xhtml.utf8))
        reader.read()
        while reader.words.last == newLine { reader.words.removeLast() }
        return String(decoding: reader.words, as: UTF8.self)
    }

    private init(source: [UInt8]) { self.source = source }

    private mutating func read() {
        while index < source.count {
            switch source[index] {
            case UInt8(ascii: "<"): tag()
            case UInt8(ascii: "&"): entity()
            default:
                words.append(source[index])
                index += 1
            }
        }
    }

    private mutating func tag() {
        guard index + 1 < source.count, Self.opensTag(source[index + 1]),
            let end = source[index...].firstIndex(of: UInt8(ascii: ">"))
        else {
            words.append(source[index])
            index += 1
            return
        }
        let name = source[(index + 1)..<end].prefix { $0 != 0x20 }
        if Self.breaks.contains(String(decoding: name, as: UTF8.self)) { words.append(Self.newLine) }
        index = end + 1
    }

    private mutating func entity() {
        // `&#x10FFFF;` is the longest there is.
        let window = source[index...].prefix(10)
        guard let end = window.firstIndex(of: UInt8(ascii: ";")),
            let text = Self.resolve(String(decoding: source[(index + 1)..<end], as: UTF8.self))
        else {
            words.append(source[index])
            index += 1
            return
        }
        words.append(contentsOf: Array(text.utf8))
        index = end + 1
    }

    private static let newLine = UInt8(ascii: "\n")
    private static let breaks: Set = ["br", "br/", "/p", "/div", "/li", "/h1", "/h2", "/h3"]

    private static func opensTag(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "/"),
            UInt8(ascii: "!"), UInt8(ascii: "?"):
            true
        default: false
        }
    }

    private static func resolve(_ name: String) -> String? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case "nbsp": return "\u{A0}"
        default:
            guard name.hasPrefix("#") else { return nil }
            let hexadecimal = name.hasPrefix("#x") || name.hasPrefix("#X")
            let digits = name.dropFirst(hexadecimal ? 2 : 1)
            return UInt32(digits, radix: hexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init).map { String($0) }
        }
    }
}
