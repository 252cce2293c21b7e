/// What a terminal understands as "put this on the clipboard" (xterm's ctlseqs, OSC 52). Base64, so nothing in the
/// text can act on the terminal.
struct ClipboardRequest {
    /// Bytes of text. xterm and others ignore requests longer than about 100,000 bytes.
    static let limit = 74_000

    let bytes: [UInt8]

    /// nil when the text is too long.
    init?(_ text: String) {
        guard text.utf8.count <= Self.limit else { return nil }
        bytes = Array("\u{1B}]52;c;".utf8) + Self.base64(Array(text.utf8)) + [0x07]
    }

    /// RFC 4648, section 4.
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var encoded: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                let digit = alphabet[number >> (18 - 6 * place) & 63]
                encoded.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return encoded
    }
}
