/// Text escaped for XML.
enum XMLText {
    static func attribute(_ name: String, _ value: String) -> String {
        " \(name)=\"\(escaped(value, isAttribute: true))\""
    }

    /// Characters that XML cannot represent at all, such as NUL, become U+FFFD.
    static func escaped(_ text: String, isAttribute: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where isAttribute: result += "&quot;"
            case "\r": result += "&#13;"
            case "\t" where isAttribute, "\n" where isAttribute: result += "&#\(scalar.value);"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
