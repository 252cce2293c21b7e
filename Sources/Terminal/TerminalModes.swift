private import CNcurses

/// The terminal modes beyond those that ncurses sets: application keys, bracketed paste and, optionally, the mouse; and
/// how to reset all modes, even after a crash.
struct TerminalModes {
    let on: [UInt8]
    let off: [UInt8]
    /// Resets everything, including ncurses' part, in case ncurses no longer can.
    let guarding: [UInt8]

    /// Call after `newterm`.
    ///
    /// - Parameters:
    ///   - resetsMouse: Whether the mouse may have been on before.
    ///   - distinguishesKeys: Whether the terminal sends keys such as Ctrl-I unambiguously (kitty's keyboard protocol).
    init(usesMouse: Bool, resetsMouse: Bool = false, distinguishesKeys: Bool = false) {
        let keys: (on: String, off: String) = distinguishesKeys ? ("\u{1B}[>1u", "\u{1B}[<u") : ("", "")
        let paste: (on: String, off: String) = ("\u{1B}[?2004h", "\u{1B}[?2004l")
        // Button events, in the encoding for columns beyond 223.
        let mouse: (on: String, off: String) =
            (
                usesMouse ? "\u{1B}[?1000h\u{1B}[?1006h" : "",
                usesMouse || resetsMouse ? "\u{1B}[?1006l\u{1B}[?1000l" : ""
            )
        on = Self.capability("smkx") + Array((paste.on + mouse.on + keys.on).utf8)
        off = Array((keys.off + mouse.off + paste.off).utf8) + Self.capability("rmkx")
        guarding = off + ["sgr0", "op", "cnorm", "rmcup"].flatMap(Self.capability)
    }

    /// Returns a capability without delays such as `$<5>`, which no terminal needs any longer.
    static func capability(_ name: String) -> [UInt8] {
        guard let text = cn_capability(name) else { return [] }
        var bytes: [UInt8] = []
        var rest = String(cString: text).utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "<"),
                let end = rest.firstIndex(of: UInt8(ascii: ">"))
            {
                rest = rest[rest.index(after: end)...]
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
