import Annotations
import Screen

/// The escape sequence that sets the clipboard (xterm's ctlseqs, OSC 52). Base64, so that the text cannot act on the
/// terminal; cleaned, so that it cannot act on the program that it is pasted into.
struct ClipboardRequest {
    /// Limit in bytes. xterm and others ignore requests longer than about 100,000 bytes.
    static let limit = 74_000

    let bytes: [UInt8]

    /// Returns nil for a text over the limit.
    init?(_ text: LeavingText) {
        let text = text.string
        guard text.utf8.count <= Self.limit else { return nil }
        bytes = Array("\u{1B}]52;c;".utf8) + Base64.encodeBytes(text.utf8) + [0x07]
    }
}
