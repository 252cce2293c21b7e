import Annotations

/// Text in which `&amp;`, `&#233;` and the like stand for characters, as text. What is no entity stays.
func decodeEntities(_ bytes: some Collection<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    var rest = text[...]
    while let ampersand = rest.firstIndex(of: "&") {
        result += rest[..<ampersand]
        rest = rest[ampersand...]
        // The longest name there is in this output is `&#x10FFFF;`.
        guard let end = rest.prefix(10).firstIndex(of: ";"),
            let character = Unicode.Scalar(reference: rest[..<end].dropFirst())
        else {
            result.append("&")
            rest = rest.dropFirst()
            continue
        }
        result.unicodeScalars.append(character)
        rest = rest[rest.index(after: end)...]
    }
    return result + rest
}
