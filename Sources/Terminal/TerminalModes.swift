private import CNcurses

/// What is switched on in the terminal beside what ncurses does: keys in application mode, marks around pastes, and
/// the mouse if wanted; and how all of it is switched off, also after a crash.
struct TerminalModes {
    let on: [UInt8]
    let off: [UInt8]
    /// Everything, ncurses' part included, in case ncurses cannot do it any more.
    let guarding: [UInt8]

    /// After `newterm`.
    init(usesMouse: Bool) {
        let paste: (on: String, off: String) = ("\u{1B}[?2004h", "\u{1B}[?2004l")
        // Buttons, with places beyond column 223.
        let mouse: (on: String, off: String) =
            usesMouse ? ("\u{1B}[?1000h\u{1B}[?1006h", "\u{1B}[?1006l\u{1B}[?1000l") : ("", "")
        on = Self.capability("smkx") + Array((paste.on + mouse.on).utf8)
        off = Array((mouse.off + paste.off).utf8) + Self.capability("rmkx")
        guarding = off + ["sgr0", "op", "cnorm", "rmcup"].flatMap(Self.capability)
    }

    /// A text of the terminal's description without its delays, `$<5>`, which no terminal needs any more.
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
