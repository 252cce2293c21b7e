import Annotations

/// What a terminal understands as "put this on the clipboard" (xterm's ctlseqs, OSC 52). Base64, so nothing in the
/// text can act on the terminal.
struct ClipboardRequest {
    /// Bytes of text. xterm and others ignore requests longer than about 100,000 bytes.
    static let limit = 74_000

    let bytes: [UInt8]

    /// nil when the text is too long.
    init?(_ text: String) {
        guard text.utf8.count <= Self.limit else { return nil }
        bytes = Array("\u{1B}]52;c;".utf8) + Base64.encodeBytes(text.utf8) + [0x07]
    }
}
