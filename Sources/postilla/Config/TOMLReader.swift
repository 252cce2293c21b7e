import Annotations

/// One line of a configuration file that sets a value.
struct TOMLEntry: Hashable {
    /// The key with its table names: `limits.streams`.
    var key: String
    /// The value as text: one word, or one per element of an array.
    var words: [String]
    /// Counted from 1.
    var line: Int
}

/// A syntax error in a configuration file.
struct TOMLError: Error, Hashable {
    var line: Int
    var reason: String
}

/// Reads the part of TOML 1.0 that settings use: tables, dotted and quoted keys, strings on one line, whole numbers,
/// booleans and arrays of these. Each entry keeps its line for error messages. Floats, dates, inline tables and
/// multi-line strings are rejected by name.
struct TOMLReader {
    private var rest: ArraySlice<Unicode.Scalar>
    private var line = 1
    private var table: [String] = []
    private var entries: [TOMLEntry] = []
    private var known: Set<String> = []

    static func entries(of text: String) throws(TOMLError) -> [TOMLEntry] {
        var reader = TOMLReader(rest: Array(text.unicodeScalars)[...])
        while !reader.rest.isEmpty { try reader.readLine() }
        return reader.entries
    }

    private init(rest: ArraySlice<Unicode.Scalar>) { self.rest = rest }

    private func problem(_ reason: String) -> TOMLError { TOMLError(line: line, reason: reason) }

    // MARK: Lines

    private mutating func readLine() throws(TOMLError) {
        skipBlanks()
        switch rest.first {
        case nil, "\n", "\r", "#": break
        case "[": try readTable()
        default: try readEntry()
        }
        try endLine()
    }

    private mutating func readTable() throws(TOMLError) {
        rest.removeFirst()
        if rest.first == "[" { throw problem("arrays of tables are not supported") }
        table = try readKey()
        guard rest.popFirst() == "]" else { throw problem("missing ] after the name of the table") }
    }

    private mutating func readEntry() throws(TOMLError) {
        let begin = line
        let key = (table + (try readKey())).joined(separator: ".")
        guard rest.popFirst() == "=" else { throw problem("missing = after \(key)") }
        skipBlanks()
        let words = rest.first == "[" ? try readArray() : [try readWord()]
        guard known.insert(key).inserted else {
            throw TOMLError(line: begin, reason: "\(key) is set twice")
        }
        entries.append(TOMLEntry(key: key, words: words, line: begin))
    }

    private mutating func endLine() throws(TOMLError) {
        skipBlanks()
        if rest.first == "#" { try skipComment() }
        guard let end = rest.popFirst() else { return }
        if end == "\r", rest.first == "\n" {
            rest.removeFirst()
        } else if end != "\n" {
            throw problem("unexpected text after the entry")
        }
        line += 1
    }

    // MARK: Keys

    private mutating func readKey() throws(TOMLError) -> [String] {
        var parts: [String] = []
        while true {
            skipBlanks()
            switch rest.first {
            case "\"": parts.append(try readBasicString())
            case "'": parts.append(try readLiteralString())
            default: parts.append(try readBareKey())
            }
            skipBlanks()
            guard rest.first == "." else { return parts }
            rest.removeFirst()
        }
    }

    private mutating func readBareKey() throws(TOMLError) -> String {
        let key = take { $0.isKeyPart }
        guard !key.isEmpty else { throw problem("invalid key (expected letters, digits, - and _, or quotes)") }
        return key
    }

    // MARK: Values

    private mutating func readArray() throws(TOMLError) -> [String] {
        rest.removeFirst()
        var words: [String] = []
        while true {
            try skipToNextInArray()
            if rest.first == "]" { break }
            if rest.first == "[" { throw problem("nested arrays are not supported") }
            words.append(try readWord())
            try skipToNextInArray()
            if rest.first == "," {
                rest.removeFirst()
            } else if rest.first != "]" {
                throw problem("invalid array (expected , or ] after a value)")
            }
        }
        rest.removeFirst()
        return words
    }

    private mutating func skipToNextInArray() throws(TOMLError) {
        while true {
            skipBlanks()
            switch rest.first {
            case "\n": line += 1
            case "\r" where rest.dropFirst().first == "\n": break
            case "#":
                try skipComment()
                continue
            default: return
            }
            rest.removeFirst()
        }
    }

    private mutating func readWord() throws(TOMLError) -> String {
        switch rest.first {
        case "\"": return try readBasicString()
        case "'": return try readLiteralString()
        case "{": throw problem("inline tables are not supported")
        default: break
        }
        let word = take { $0.isKeyPart || $0 == "+" || $0 == "." || $0 == ":" }
        if word == "true" || word == "false" { return word }
        guard !word.isEmpty else { throw problem("missing value (strings need quotes)") }
        guard let number = Self.number(word) else {
            throw problem("invalid value: \(word) (expected a number, true or false; strings need quotes)")
        }
        return String(number)
    }

    private static func number(_ word: String) -> Int64? {
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.begins(with: prefix) {
            return digits(word.dropFirst(scalars: 2)).flatMap {
                $0.begins(with: "-") || $0.begins(with: "+") ? nil : Int64($0, radix: radix)
            }
        }
        let unsigned = word.dropping(prefix: "-") ?? word.dropping(prefix: "+") ?? word[...]
        guard unsigned == "0" || !unsigned.begins(with: "0") else { return nil }
        return digits(word[...]).flatMap { Int64($0) }
    }

    /// Returns the digits without `_`, which is allowed between two digits.
    private static func digits(_ text: Substring) -> String? {
        let isTaken = !text.begins(with: "_") && !text.ends(with: "_") && !text.contains(scalars: "__")
        return isTaken ? String(text.filter { $0 != "_" }) : nil
    }

    // MARK: Strings

    private mutating func readLiteralString() throws(TOMLError) -> String {
        try begin(quote: "'")
        let text = take { $0 != "'" && !$0.isForbidden }
        guard rest.popFirst() == "'" else {
            throw problem("a ' string must end on its line, without control characters")
        }
        return text
    }

    private mutating func readBasicString() throws(TOMLError) -> String {
        try begin(quote: "\"")
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), !scalar.isForbidden {
            switch scalar {
            case "\"": return String(text)
            case "\\": text.append(try readEscape())
            default: text.append(scalar)
            }
        }
        throw problem("a \" string must end on its line, without control characters")
    }

    private mutating func begin(quote: Unicode.Scalar) throws(TOMLError) {
        rest.removeFirst()
        if rest.starts(with: [quote, quote]) { throw problem("multi-line strings are not supported") }
    }

    private mutating func readEscape() throws(TOMLError) -> Unicode.Scalar {
        switch rest.popFirst() {
        case "b": return "\u{8}"
        case "t": return "\t"
        case "n": return "\n"
        case "f": return "\u{c}"
        case "r": return "\r"
        case "\"": return "\""
        case "\\": return "\\"
        case "u": return try readCode(digits: 4)
        case "U": return try readCode(digits: 8)
        default: throw problem(#"invalid escape (expected one of b t n f r " \ u U after \)"#)
        }
    }

    private mutating func readCode(digits: Int) throws(TOMLError) -> Unicode.Scalar {
        let code = String(String.UnicodeScalarView(rest.prefix(digits)))
        guard code.unicodeScalars.count == digits, code.allSatisfy({ $0.isHexDigit && $0.isASCII }),
            let scalar = UInt32(code, radix: 16).flatMap(Unicode.Scalar.init)
        else { throw problem("invalid character code (expected \(digits) hexadecimal digits)") }
        rest.removeFirst(digits)
        return scalar
    }

    // MARK: Characters

    private mutating func skipBlanks() { _ = take { $0 == " " || $0 == "\t" } }

    private mutating func skipComment() throws(TOMLError) {
        _ = take { $0 != "\n" && $0 != "\r" && !$0.isForbidden }
        if rest.first?.isForbidden == true, rest.first != "\n", rest.first != "\r" {
            throw problem("control character in a comment")
        }
    }

    private mutating func take(while isTaken: (Unicode.Scalar) -> Bool) -> String {
        let taken = rest.prefix(while: isTaken)
        rest.removeFirst(taken.count)
        return String(String.UnicodeScalarView(taken))
    }
}

extension Unicode.Scalar {
    fileprivate var isKeyPart: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }

    /// Whether the character is a control character other than the tab.
    fileprivate var isForbidden: Bool { (value < 0x20 && self != "\t") || value == 0x7F }
}
