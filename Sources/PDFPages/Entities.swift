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
        guard let end = rest.prefix(10).firstIndex(of: ";"), let character = character(of: rest[..<end].dropFirst())
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

private func character(of name: Substring) -> Unicode.Scalar? {
    switch name {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
    default: nil
    }
}
