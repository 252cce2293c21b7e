import TestSupport
import Testing

/// The checker that fuzzing and stories rely on: it must accept our output and reject everything else.
@Suite struct WrittenBytesTests {
    @Test(arguments: [
        "", "plain text, é, 漢, e\u{301}, 🙂", "\r\n\t\u{8}",
        "\u{1B}[?1049h\u{1B}[22;0;0t\u{1B}[1;24r\u{1B}(B\u{1B}[m\u{1B}[4l",
        "\u{1B}[H\u{1B}[2J\u{1B}[3;7H\u{1B}[1;38;5;42mx\u{1B}[K\u{1B}[12X\u{1B}[3P\u{1B}[5b\u{1B}[7d\u{1B}[9G\u{1B}M",
        "x\u{1B}]10;?\u{1B}\\\u{1B}]11;?\u{1B}\\y",
        "\u{1B}[?1h\u{1B}=\u{1B}[?2004h\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?12l\u{1B}[?25h\u{1B}[?1l\u{1B}>",
    ])
    func isOurs(_ text: String) throws { try WrittenBytes.check(Array(text.utf8)) }

    @Test(arguments: [
        // The window's title, the clipboard, a link.
        "\u{1B}]0;title\u{7}", "\u{1B}]52;c;cGFzdGU=\u{7}", "\u{1B}]8;;http://example.org\u{1B}\\",
        "\u{1B}]11;?\u{1B}\\", "\u{1B}]10;?\u{1B}\\\u{1B}]11;rgb:0/0/0\u{1B}\\",
        "\u{1B}]10;?\u{1B}\\\u{1B}]11;?\u{1B}\\\u{1B}]10;?\u{1B}\\\u{1B}]11;?\u{1B}\\",
        // Queries whose answers become input.
        "\u{1B}[6n", "\u{1B}[c", "\u{1B}[>c", "\u{1B}[?15n", "\u{1B}[18t", "\u{1B}P1$r\u{1B}\\", "\u{5}",
        // Resets, other character sets, other modes, a printer.
        "\u{1B}c", "\u{1B}[!p", "\u{1B}(0", "\u{E}", "\u{F}", "\u{1B}[?3h", "\u{1B}[?1002h", "\u{1B}[5i", "\u{1B}#8",
        "\u{1B}_x\u{1B}\\", "\u{1B}^x\u{1B}\\",
        // Single bytes.
        "\u{0}", "\u{7}", "\u{7F}", "\u{9B}31m", "\u{85}",
        // Invisible characters, bidi controls, characters without a glyph.
        "\u{202E}", "\u{200D}", "\u{200B}", "\u{2028}", "\u{FEFF}", "\u{E000}", "\u{FE0F}", "\u{E0041}", "\u{378}",
        // Truncated sequences.
        "\u{1B}", "\u{1B}[", "\u{1B}[12;", "\u{1B}(",
    ])
    func isSomebodyElses(_ text: String) {
        #expect(throws: WrittenBytes.Foreign.self) { try WrittenBytes.check(Array(text.utf8)) }
        #expect(throws: WrittenBytes.Foreign.self) { try WrittenBytes.check(Array("ours \(text) ours".utf8)) }
    }

    @Test(arguments: [[0x80], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF]])
    func isNoUTF8(_ bytes: [UInt8]) {
        #expect(throws: WrittenBytes.Foreign.self) { try WrittenBytes.check(bytes) }
    }

    @Test func isToldWithItsPlace() {
        let foreign = #expect(throws: WrittenBytes.Foreign.self) {
            try WrittenBytes.check(Array("abc\u{7}rest".utf8))
        }
        #expect(foreign?.description == #"at byte 3: "\u{07}rest""#)
    }
}
