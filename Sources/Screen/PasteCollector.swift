/// Collects the text of one bracketed paste.
struct PasteCollector: Sendable {
    static let begin: [UInt8] = Array("\u{1B}[200~".utf8)
    static let end: [UInt8] = Array("\u{1B}[201~".utf8)

    private var bytes: [UInt8] = []
    /// Bytes at the end of the last read that may begin the end mark.
    private var tail: [UInt8] = []

    /// Consumes bytes from the front of `input`; returns whether the paste is over.
    mutating func take(_ input: inout ArraySlice<UInt8>) -> Bool {
        let all = tail + input
        tail = []
        if let mark = Self.endMark(in: all) {
            keep(all[..<mark])
            // The bytes after the mark are at the end of `input`.
            input = input.suffix(all.count - mark - Self.end.count)
            return true
        }
        let possible = (1..<Self.end.count).reversed().first { all.suffix($0) == Self.end.prefix($0) } ?? 0
        keep(all.dropLast(possible))
        tail = Array(all.suffix(possible))
        input = []
        return false
    }

    var text: String { Self.text(of: bytes[...]) }

    /// Converts every line end to `\n`, and malformed UTF-8 to U+FFFD.
    static func text(of bytes: ArraySlice<UInt8>) -> String {
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count)
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == 0x0D {
                lines.append(0x0A)
            } else if byte != 0x0A || previous != 0x0D {
                lines.append(byte)
            }
            previous = byte
        }
        return String(decoding: lines, as: UTF8.self)
    }

    private mutating func keep(_ more: ArraySlice<UInt8>) {
        bytes += more.prefix(KeyDecoder.pasteLimit - bytes.count)
    }

    /// Returns the last end mark before another paste begins, because earlier ones were pasted.
    private static func endMark(in bytes: [UInt8]) -> Int? {
        var found: Int?
        var index = bytes.startIndex
        while let escape = bytes[index...].firstIndex(of: 0x1B) {
            let rest = bytes[escape...]
            if rest.starts(with: end) {
                found = escape
            } else if found != nil, rest.starts(with: begin) {
                return found
            }
            index = escape + 1
        }
        return found
    }
}
